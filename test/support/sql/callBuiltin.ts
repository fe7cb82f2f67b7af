import { Unknown } from "./Unknown.ts"

/** Methods of a list. */
const METHODS = new Set(["map", "flatMap", "filter", "join", "concat", "slice", "at", "toReversed", "toString"])

/** The result of a builtin method of a known list or set. Undefined: it is another method, or its result is unknown. */
export const callBuiltin = (
  receiver: unknown,
  name: string,
  given: () => ReadonlyArray<unknown>
): { readonly value: unknown } | undefined => {
  if (Array.isArray(receiver) && METHODS.has(name)) {
    const method = Reflect.get(receiver, name) as (...all: ReadonlyArray<unknown>) => unknown
    return { value: method.apply(receiver, [...given()]) }
  }
  if (!(receiver instanceof Set) || name !== "has") return undefined
  const [item] = given()
  return item instanceof Unknown ? undefined : { value: receiver.has(item) }
}
