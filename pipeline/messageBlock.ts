import { dataBlock } from "./chat.ts"
import type { Referred, WithReferred } from "./domain/referred.ts"

const BY = { character: "character", user: "person", other: "somebody_else" } as const

const entry = ({ type, by, author, text }: Referred) => ({
  how: type === "quote" ? "quoted" : "forwarded",
  by: BY[by],
  ...(author !== "" && { name: author }),
  text
})

/** The message as prompts hold it: the person's own words, and apart from them what it quotes or forwards. */
export const messageBlock = ({ text, referred = [] }: WithReferred): string =>
  dataBlock("message", { text, ...(referred.length > 0 && { refers_to: referred.map(entry) }) })
