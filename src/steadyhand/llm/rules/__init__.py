"""The rules provider: answers by phrases that each room registers, without a model. It must not guess or know a room's matters."""
