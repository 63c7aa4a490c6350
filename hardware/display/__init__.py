"""The picture: small OLED panels on I2C or SPI, their simulated twins, and a frame in memory."""
