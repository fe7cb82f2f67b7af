import type { TextsByTag } from "#pipeline/texts/OwnTexts.ts"
import type { ServiceTexts } from "#pipeline/texts/ServiceTexts.ts"
import { textLanguages, textsFor } from "#pipeline/texts/textsFor.ts"

const NAMES = ["start", "reset", "stop", "forget", "help"] as const

/** The commands as Telegram's menu shows them. */
export const commandsIn = (texts: ServiceTexts) =>
  NAMES.map((command) => ({ command, description: texts[`command_${command}`] }))
export type Commands = ReturnType<typeof commandsIn>

/** The reply to /help. */
export const helpIn = (texts: ServiceTexts): string =>
  [texts.help, ...commandsIn(texts).map(({ command, description }) => `/${command}: ${description}`)].join("\n")

/** For menus, Telegram knows languages of two letters, without regions. */
const MENU_LANGUAGE = /^[a-z]{2}$/

/**
 * The menus of a bot by language, and that of everybody else by the empty string, which is in the character's own
 * language.
 */
export const menusOf = (voiceLanguages: ReadonlyArray<string>, own: TextsByTag): ReadonlyMap<string, Commands> =>
  new Map([
    ["", commandsIn(textsFor(voiceLanguages, own))],
    ...textLanguages(own)
      .filter((language) => MENU_LANGUAGE.test(language))
      .map((language) => [language, commandsIn(textsFor([language, ...voiceLanguages], own))] as const)
  ])
