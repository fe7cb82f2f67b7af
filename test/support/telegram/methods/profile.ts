import type { BotCommand, InputProfilePhoto, MenuButton } from "@grammyjs/types"
import type { Call, Methods } from "../Method.ts"
import { badRequest } from "../Refusal.ts"
import { readFile } from "../readFile.ts"

const MAX_COMMANDS = 100

const setText =
  (field: string, most: number, error: string, into: (call: Call) => Map<string, string>) =>
  (call: Call): true => {
    const text = call.parameters.text(field)
    if (text.length > most) throw badRequest(error)
    const texts = into(call)
    const language = call.parameters.text("language_code")
    if (text === "") texts.delete(language)
    else texts.set(language, text)
    call.world.changed()
    return true
  }

const getText = (call: Call, texts: Map<string, string>) =>
  texts.get(call.parameters.text("language_code")) ?? texts.get("") ?? ""

const commandKey = ({ parameters }: Call) => `${parameters.text("language_code")} ${parameters.text("scope")}`

const checkLanguage = ({ parameters }: Call): void => {
  if (!/^(?:[a-z]{2})?$/.test(parameters.text("language_code"))) throw badRequest("invalid language code specified")
}

const checkCommand = ({ command, description }: BotCommand): BotCommand => {
  const name = command.replace(/^\//, "")
  if (!/^[a-z0-9_]{1,32}$/.test(name)) throw badRequest("BOT_COMMAND_INVALID")
  if (description.length < 1 || description.length > 256) throw badRequest("BOT_COMMAND_DESCRIPTION_INVALID")
  return { command: name, description }
}

type Profile =
  | "setMyName"
  | "getMyName"
  | "setMyDescription"
  | "getMyDescription"
  | "setMyShortDescription"
  | "getMyShortDescription"
  | "setMyCommands"
  | "getMyCommands"
  | "deleteMyCommands"
  | "setMyProfilePhoto"
  | "removeMyProfilePhoto"
  | "setChatMenuButton"
  | "getChatMenuButton"

export const profile: Methods<Profile> = {
  setMyName: setText("name", 64, "BOT_TITLE_INVALID", ({ bot }) => bot.profile.names),
  setMyDescription: setText("description", 512, "BOT_DESCRIPTION_TOO_LONG", ({ bot }) => bot.profile.descriptions),
  setMyShortDescription: setText(
    "short_description",
    120,
    "BOT_SHORT_DESCRIPTION_TOO_LONG",
    ({ bot }) => bot.profile.shortDescriptions
  ),

  getMyName: (call) => ({ name: getText(call, call.bot.profile.names) }),
  getMyDescription: (call) => ({ description: getText(call, call.bot.profile.descriptions) }),
  getMyShortDescription: (call) => ({ short_description: getText(call, call.bot.profile.shortDescriptions) }),

  setMyCommands: (call) => {
    checkLanguage(call)
    const commands = call.parameters.json<ReadonlyArray<BotCommand>>("commands") ?? []
    if (commands.length > MAX_COMMANDS) throw badRequest("BOT_COMMANDS_TOO_MUCH")
    call.bot.profile.commands.set(commandKey(call), commands.map(checkCommand))
    return true
  },
  getMyCommands: (call) => [...(call.bot.profile.commands.get(commandKey(call)) ?? [])],
  deleteMyCommands: (call) => {
    checkLanguage(call)
    call.bot.profile.commands.delete(commandKey(call))
    return true
  },

  setMyProfilePhoto: (call) => {
    const asked = call.parameters.json<InputProfilePhoto<string>>("photo")
    if (asked === undefined) throw badRequest("photo isn't specified")
    const attached = asked.type === "static" ? asked.photo : asked.animation
    if (!attached.startsWith("attach://")) throw badRequest("the photo must be uploaded as a new file")
    call.bot.profile.photo = readFile(call, asked.type === "static" ? "photo" : "animation", "", attached)
    call.world.changed()
    return true
  },
  removeMyProfilePhoto: ({ bot, world }) => {
    bot.profile.photo = undefined
    world.changed()
    return true
  },

  setChatMenuButton: ({ bot, parameters }) => {
    bot.profile.menuButtons.set(
      parameters.integer("chat_id"),
      parameters.json<MenuButton>("menu_button") ?? { type: "default" }
    )
    return true
  },
  getChatMenuButton: ({ bot, parameters }) =>
    bot.profile.menuButtons.get(parameters.integer("chat_id")) ?? bot.profile.menuButtons.get(0) ?? { type: "default" }
}
