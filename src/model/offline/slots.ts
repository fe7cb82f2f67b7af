/** What of the person's own words an authored line may carry. */
export interface Slots {
  /** What they spoke of, as said to them: "your dog". */
  readonly subject?: string
  /** Whether that is its name. */
  readonly named?: boolean
  /** What they said it is: "Biscuit". */
  readonly value?: string
  /** Their sentence as said to them: "your sister Nadia plays the cello". */
  readonly quote?: string
}

const SLOT = /(^|[.!?…]["”]?\s+|\n|)\{\{\s*(subject|value|quote)\s*\}\}/gi

const capital = (text: string): string => text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())
const isSlot = (name: string): name is "subject" | "value" | "quote" =>
  name === "subject" || name === "value" || name === "quote"

/**
 * The line with its slots filled, with a capital where one begins a sentence, or null when one of them has nothing to
 * say.
 */
export const fillSlots = (line: string, slots: Slots, lowerCase: boolean): string | null => {
  if (!line.includes("{{")) return line
  let complete = true
  const filled = line.replace(SLOT, (_, opening: string, slot: string, at: number) => {
    const name = slot.toLowerCase()
    const said = isSlot(name) ? slots[name] : undefined
    if (said === undefined || said === "") complete = false
    return `${opening}${!lowerCase && (at === 0 || opening !== "") ? capital(said ?? "") : (said ?? "")}`
  })
  return complete ? filled : null
}
