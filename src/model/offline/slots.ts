/** Values from the person's own words that an authored line may contain. */
export interface Slots {
  /** What they mentioned, in the second person: "your dog". */
  readonly subject?: string
  /** Whether that is its name. */
  readonly named?: boolean
  /** What they said it is: "Biscuit". */
  readonly value?: string
  /** Their sentence in the second person: "your sister Nadia plays the cello". */
  readonly quote?: string
  /** What the character can be asked about: "fog or goats". */
  readonly topics?: string
}

const SLOT = /(^|[.!?…]["”]?\s+|\n|)\{\{\s*(subject|value|quote|topics)\s*\}\}/gi

const capital = (text: string): string => text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())
const isSlot = (name: string): name is "subject" | "value" | "quote" | "topics" =>
  name === "subject" || name === "value" || name === "quote" || name === "topics"

/** The line with its slots filled, capitalized at the start of a sentence. Null if a slot has no value. */
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
