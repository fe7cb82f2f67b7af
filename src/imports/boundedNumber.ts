/** A number, or a text that contains one. */
export const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value
  return typeof number === "number" && Number.isFinite(number) ? number : undefined
}
/** The nearest whole number within these bounds. */
export const boundedWhole = (value: unknown, least: number, most: number): number | undefined => {
  const number = numberOf(value)
  return number === undefined ? undefined : Math.min(most, Math.max(least, Math.round(number)))
}
