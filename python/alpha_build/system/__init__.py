"""What a user writes: frozen values, without the rules that `projector.check` applies to them."""
