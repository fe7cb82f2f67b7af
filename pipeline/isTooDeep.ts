/**
 * Whether arrays and objects are nested more than `deepest` levels. It looks no deeper than that itself, so it is safe
 * to ask before anything that follows the nesting, such as `JSON.stringify`, which would overflow the stack.
 */
export const isTooDeep = (value: unknown, deepest: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (deepest === 0 || Object.values(value).some((inner) => isTooDeep(inner, deepest - 1)))
