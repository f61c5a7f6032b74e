fn scale_and_shift(normalized: Real, feature: u32) -> Real { return normalized * gamma[feature]; }
