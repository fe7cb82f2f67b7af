/** Whether a part of a path can name an end-user: PostgreSQL keeps no U+0000, and names are no longer than this. */
export const isEndUserRef = (text: string): boolean => text !== "" && text.length <= 256 && !text.includes("\0")
