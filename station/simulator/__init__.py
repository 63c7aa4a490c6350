"""The station on a desktop: hands on mock pins, and its panel as text, pictures or a terminal."""
