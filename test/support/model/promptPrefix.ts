import type { FakeRequest } from "./FakeModel.ts"

export interface PromptMeasure {
  readonly chars: number
  /** The share of the prompt that the previous one began with, from 0 to 1. */
  readonly shared: number
}

const rendered = ({ messages }: FakeRequest): string =>
  messages.map(({ role, content }) => `<${role}>\n${content}`).join("\n")

const commonChars = (one: string, other: string): number => {
  let at = 0
  while (at < one.length && at < other.length && one[at] === other[at]) at++
  return at
}

/** How much of each prompt, after the first, a provider could read from the cache of the one before it. */
export const measurePrompts = (requests: ReadonlyArray<FakeRequest>): ReadonlyArray<PromptMeasure> => {
  const prompts = requests.map(rendered)
  return prompts.slice(1).map((prompt, place) => ({
    chars: prompt.length,
    shared: commonChars(prompts[place] ?? "", prompt) / prompt.length
  }))
}
