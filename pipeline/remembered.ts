/**
 * A function that keeps what it has made, for inputs that are few and long-lived. Beyond `most` of them it begins anew.
 */
export const remembered = <A>(most: number, make: (text: string) => A): ((text: string) => A) => {
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
