import * as z from "zod"

export const between = (minimum: number, maximum: number) => z.number().min(minimum).max(maximum)

export const wholeBetween = (minimum: number, maximum: number) => z.int().min(minimum).max(maximum)

/** A share, a probability, a trust: 0 to 1. */
export const unit = () => between(0, 1)
