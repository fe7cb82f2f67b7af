import type { Json } from "./components.ts"
import { pascal } from "./pascal.ts"

/** How often the same part must occur to become a component. */
const SHARED = 2

/** A part of an operation, and the name that it would have as a component. */
export type NamedPart = readonly [name: string, part: Json]

/** The parts that occur often, by name: the most frequent one has the plain name, and the others a number. */
const shared = (parts: ReadonlyArray<NamedPart>): ReadonlyMap<string, string> => {
  const counts = Map.groupBy(parts, ([, part]) => JSON.stringify(part))
  const frequent = [...counts]
    .filter(([, found]) => found.length >= SHARED)
    .toSorted(([, a], [, b]) => b.length - a.length)
  const taken = new Map<string, number>()
  return new Map(
    frequent.map(([text, found]) => {
      const name = found[0]?.[0] ?? ""
      const before = taken.get(name) ?? 0
      taken.set(name, before + 1)
      return [text, before === 0 ? name : `${name}${before + 1}`]
    })
  )
}

/** References instead of the parts that are shared, and those as components. */
export const share = (kind: "parameters" | "requestBodies" | "responses", parts: ReadonlyArray<NamedPart>) => {
  const names = shared(parts)
  return {
    refer: (part: Json): Json => {
      const name = names.get(JSON.stringify(part))
      return name === undefined ? part : { $ref: `#/components/${kind}/${name}` }
    },
    components: Object.fromEntries([...names].map(([text, name]) => [name, JSON.parse(text) as Json]))
  }
}

/** The schemas that a part refers to, as one name: `Channel` in `CreatedEnvelope` is `CreatedChannel`. */
export const schemasIn = (part: Json): string =>
  [...JSON.stringify(part).matchAll(/#\/components\/schemas\/(\w+)/g)]
    .map(([, name = ""]) => name.replace("Envelope", ""))
    .join("")

/** The name of an answer by its schemas, or by its type. */
export const answerName = (answer: Json): string => {
  const [type = ""] = Object.keys((answer["content"] ?? {}) as Json)
  return `${schemasIn(answer) || pascal(type.split("/").at(-1) ?? "")}Answer`
}
