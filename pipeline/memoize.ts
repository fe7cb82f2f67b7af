/**
 * Caches a function of text, for inputs that are few and long-lived. The cache is cleared when it holds `most` entries.
 */
export const memoize = <A>(most: number, make: (text: string) => A): ((text: string) => A) => {
  const made = new Map<string, A>()
  return (text) => {
    const known = made.get(text)
    if (known !== undefined) return known
    const value = make(text)
    if (made.size >= most) made.clear()
    made.set(text, value)
    return value
  }
}
