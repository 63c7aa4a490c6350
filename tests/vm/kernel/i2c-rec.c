// SPDX-License-Identifier: GPL-2.0
/*
 * An I2C adapter that records what is written to it, for tests.
 *
 * It is bus 1. One address acknowledges; every transfer to another, or any while `nack` is set, is
 * refused as a bus without that device refuses it. Reads give 0x43. Each write becomes a record of
 * /dev/i2c-rec: two bytes length, little endian, then the bytes. `fail_after` refuses the message
 * after so many, once. Not simulated: time on the wire, and a refusal within a message.
 */
#include <linux/fs.h>
#include <linux/i2c.h>
#include <linux/kfifo.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

static int address = 0x3c;
module_param(address, int, 0444);
static bool nack;
module_param(nack, bool, 0644);
static int fail_after = -1;
module_param(fail_after, int, 0644);
static unsigned int lost;
module_param(lost, uint, 0444);
MODULE_PARM_DESC(lost, "records that nobody fetched in time");

static DEFINE_KFIFO(records, u8, 1 << 20);
static DEFINE_MUTEX(records_lock);
static DECLARE_WAIT_QUEUE_HEAD(arrived);

static void record(const struct i2c_msg *msg)
{
	u8 head[2] = { msg->len & 0xff, msg->len >> 8 };

	mutex_lock(&records_lock);
	if (kfifo_avail(&records) < sizeof(head) + msg->len) {
		lost++;
	} else {
		kfifo_in(&records, head, sizeof(head));
		kfifo_in(&records, msg->buf, msg->len);
	}
	mutex_unlock(&records_lock);
	wake_up_interruptible(&arrived);
}

static int rec_xfer(struct i2c_adapter *adapter, struct i2c_msg *msgs, int count)
{
	int i;

	for (i = 0; i < count; i++) {
		if (nack || msgs[i].addr != address)
			return -EREMOTEIO;
		if (fail_after >= 0 && fail_after-- == 0)
			return -EREMOTEIO;
		if (msgs[i].flags & I2C_M_RD)
			memset(msgs[i].buf, 0x43, msgs[i].len);
		else
			record(&msgs[i]);
	}
	return count;
}

static u32 rec_functionality(struct i2c_adapter *adapter)
{
	return I2C_FUNC_I2C | I2C_FUNC_SMBUS_EMUL;
}

static const struct i2c_algorithm rec_algorithm = {
	.master_xfer = rec_xfer,
	.functionality = rec_functionality,
};

static struct i2c_adapter rec_adapter = {
	.owner = THIS_MODULE,
	.algo = &rec_algorithm,
	.name = "recording adapter",
	.nr = 1,
};

static ssize_t rec_read(struct file *file, char __user *to, size_t size, loff_t *at)
{
	unsigned int copied;
	int error;

	if (kfifo_is_empty(&records)) {
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		if (wait_event_interruptible(arrived, !kfifo_is_empty(&records)))
			return -ERESTARTSYS;
	}
	mutex_lock(&records_lock);
	error = kfifo_to_user(&records, to, size, &copied);
	mutex_unlock(&records_lock);
	return error ? error : copied;
}

static __poll_t rec_poll(struct file *file, poll_table *table)
{
	poll_wait(file, &arrived, table);
	return kfifo_is_empty(&records) ? 0 : EPOLLIN | EPOLLRDNORM;
}

static const struct file_operations rec_operations = {
	.owner = THIS_MODULE,
	.read = rec_read,
	.poll = rec_poll,
	.llseek = noop_llseek,
};

static struct miscdevice rec_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "i2c-rec",
	.fops = &rec_operations,
	.mode = 0600,
};

static int __init rec_init(void)
{
	int error = misc_register(&rec_device);

	if (error)
		return error;
	error = i2c_add_numbered_adapter(&rec_adapter);
	if (error)
		misc_deregister(&rec_device);
	return error;
}

static void __exit rec_exit(void)
{
	i2c_del_adapter(&rec_adapter);
	misc_deregister(&rec_device);
}

module_init(rec_init);
module_exit(rec_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("I2C adapter that records what is written, for tests");
