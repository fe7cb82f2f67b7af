type Json = any

/** A part of an OpenAPI document with what its references point to in their place. */
export const inlineRefs = (document: Json, node: Json): Json => {
  if (Array.isArray(node)) return node.map((one) => inlineRefs(document, one))
  if (typeof node !== "object" || node === null) return node
  if (typeof node.$ref === "string") {
    const target = node.$ref
      .slice(2)
      .split("/")
      .reduce((at: Json, key: string) => at?.[key], document)
    if (target === undefined) throw new Error(`${node.$ref} points to nothing`)
    const { $ref: _, ...beside } = node
    return { ...inlineRefs(document, target), ...beside }
  }
  return Object.fromEntries(
    Object.entries<Json>(node).map(([key, child]) => [key, key === "mapping" ? child : inlineRefs(document, child)])
  )
}
