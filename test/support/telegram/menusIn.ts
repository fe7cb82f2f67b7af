import type { BotCommand } from "@grammyjs/types"
import type { FakeBot } from "../TelegramHarness.ts"

/** The menus of commands that a bot has, by language. The empty string is everybody else's. */
export const menusIn = ({ profile }: FakeBot): ReadonlyMap<string, ReadonlyArray<BotCommand>> =>
  new Map(Array.from(profile.commands, ([key, commands]) => [key.split(" ")[0] ?? "", [...commands]]))
