// placeholder, replaced by the room's first file
