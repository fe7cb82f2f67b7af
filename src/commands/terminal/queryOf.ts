/** A query string of the given fields. */
export const queryOf = (fields: Readonly<Record<string, string | undefined>>): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined && value !== "") query.set(name, value)
  return query.size === 0 ? "" : `?${query.toString()}`
}
