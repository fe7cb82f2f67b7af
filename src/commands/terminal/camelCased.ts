/** The second name under which citty has a flag. */
export const camelCased = (name: string) => name.replaceAll(/-[a-z]/g, (letter) => letter.slice(1).toUpperCase())
