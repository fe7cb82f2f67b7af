/**
 * The URL of a screen with some of its filters changed. Null and "" remove one. A new filter starts at the first page.
 */
export const urlWith = (
  path: string,
  query: URLSearchParams,
  changes: Readonly<Record<string, string | null>>
): string => {
  const changed = new URLSearchParams(query)
  for (const name of ["cursor", "live"]) changed.delete(name)
  for (const [name, value] of Object.entries(changes))
    if (value === null || value === "") changed.delete(name)
    else changed.set(name, value)
  const text = changed.toString()
  return text === "" ? path : `${path}?${text}`
}

/** The value of a filter, if it is one of these. */
export const choice = <A extends string>(query: URLSearchParams, name: string, from: ReadonlyArray<A>): A | null =>
  from.find((value) => value === query.get(name)) ?? null

/** Free text of a filter, without spaces around it. Null: none. */
export const words = (query: URLSearchParams, name: string, most = 200): string | null => {
  const text = (query.get(name) ?? "").trim().slice(0, most)
  return text === "" ? null : text
}
