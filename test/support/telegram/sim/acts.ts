import type { CallFilter } from "../CallLog.ts"
import type { Controls } from "../controls.ts"
import type { FaultSelection, Trouble } from "../Faults.ts"
import { FOLDERS, type MediaKind } from "../media.ts"
import type { Membership } from "../ChatState.ts"
import { Refusal } from "../Refusal.ts"
import type { World } from "../World.ts"
import type { Input } from "./Input.ts"

const MEMBERSHIPS: ReadonlyArray<Membership> = ["member", "administrator", "muted", "left", "kicked"]
const MEDIA_KINDS = Object.keys(FOLDERS) as ReadonlyArray<MediaKind>
const TROUBLES: ReadonlyArray<Exclude<Trouble["kind"], "nonsense">> = [
  "error",
  "drop_before",
  "drop_after",
  "hang",
  "html502",
  "slow"
]

const oneOf = <A extends string>(input: Input, name: string, values: ReadonlyArray<A>): A => {
  const value = values.find((candidate) => candidate === input.text(name))
  if (value === undefined) throw new Refusal(400, `${name} is one of ${values.join(", ")}`)
  return value
}

const trouble = (input: Input): Trouble => {
  const asked = input.inside("trouble")
  const kind = oneOf(asked, "kind", TROUBLES)
  if (kind === "slow") return { kind, ms: asked.number("ms") }
  if (kind !== "error") return { kind }
  return {
    kind,
    code: asked.number("code"),
    description: asked.text("description"),
    parameters: asked.responseParameters("parameters") ?? {}
  }
}

const options = (input: Input) => {
  const thread = input.optionalNumber("thread")
  return {
    ...(input.optionalNumber("reply_to") !== undefined && { replyTo: input.message("reply_to") }),
    ...(thread !== undefined && { thread })
  }
}

const filter = (input: Input): CallFilter => {
  const bot = input.optionalBot()
  const chat = input.optionalNumber("chat")
  const method = input.optionalText("method")
  return {
    ...(bot !== undefined && { bot }),
    ...(chat !== undefined && { chat }),
    ...(method !== undefined && { method })
  }
}

const faultSelection = (input: Input): FaultSelection => {
  const [after, count, probability] = [
    input.optionalNumber("after"),
    input.optionalNumber("count"),
    input.optionalNumber("probability")
  ]
  return {
    ...filter(input),
    ...(after !== undefined && { after }),
    ...(count !== undefined && { count }),
    ...(probability !== undefined && { probability })
  }
}

/** The actions that may be posted to `/_sim/<act>`, by name. */
export const actsOf = (world: World, controls: Controls): Readonly<Record<string, (input: Input) => unknown>> => ({
  person: (input) => {
    const username = input.optionalText("username")
    return controls.createUser({
      first_name: input.text("first_name"),
      language_code: "en",
      ...(username !== undefined && { username })
    }).user
  },
  bot: (input) => {
    const { me, token } = controls.createBot({
      username: input.text("username"),
      name: input.text("name"),
      can_manage_bots: input.flag("can_manage_bots"),
      can_read_all_group_messages: input.flag("can_read_all_group_messages"),
      has_topics_enabled: input.flag("has_topics_enabled")
    })
    return { ...me, token }
  },
  group: (input) => ({ id: controls.createGroup([input.person()], { title: input.text("title") }).id }),
  add_bot: (input) => controls.addBot(input.group(), input.person(), input.bot()),
  set_membership: (input) =>
    controls.setMembership(input.group(), input.person(), input.bot(), oneOf(input, "membership", MEMBERSHIPS)),
  join: (input) => controls.join(input.group(), input.person()),
  leave: (input) => controls.leave(input.group(), input.person()),
  upgrade: (input) => ({ id: controls.upgrade(input.group(), input.person()).id }),

  start: (input) => controls.start(input.person(), input.bot(), input.optionalText("payload")),
  say: (input) => controls.say(input.person(), input.spot(), input.text("text"), options(input)),
  media: (input) => {
    const [name, type, caption] = [
      input.optionalText("name"),
      input.optionalText("type"),
      input.optionalText("caption")
    ]
    return controls.sendMedia(input.person(), input.spot(), oneOf(input, "kind", MEDIA_KINDS), {
      ...options(input),
      bytes: Buffer.from(input.text("base64"), "base64"),
      ...(name !== undefined && { name }),
      ...(type !== undefined && { type }),
      ...(caption !== undefined && { caption })
    })
  },
  edit: (input) => controls.edit(input.person(), input.spot(), input.message(), input.text("text")),
  press: (input) => ({ id: controls.press(input.person(), input.spot(), input.message(), input.text("label")) }),
  react: (input) => {
    const emoji = input.text("emoji")
    return controls.react(
      input.person(),
      input.spot(),
      input.message(),
      emoji === "" ? [] : [{ type: "emoji", emoji: emoji as "👍" }]
    )
  },
  block: (input) => controls.block(input.person(), input.bot()),
  unblock: (input) => controls.unblock(input.person(), input.bot()),
  deactivate: (input) => controls.deactivate(input.person()),
  stop_generation: (input) => controls.stopGeneration(input.person(), input.bot()),

  new_bot: (input) =>
    controls.confirmNewBot(input.bot("manager"), input.person(), {
      username: input.text("username"),
      name: input.text("name")
    }).user,
  revoke: (input) => controls.revokeToken(input.bot()),
  transfer: (input) => controls.transferBot(input.bot(), input.person()),
  freeze: (input) => controls.freeze(input.bot(), input.flag("frozen")),
  delete_bot: (input) => controls.deleteBot(input.bot()),

  fault: (input) => void controls.fault(faultSelection(input), trouble(input)),
  clear_faults: () => controls.clearFaults(),
  advance: (input) => controls.advance(input.number("ms")),
  calls: (input) => controls.calls(filter(input)),
  callback_answer: (input) => controls.callbackAnswer(input.text("id")) ?? null,
  token: (input) => ({ token: input.bot().token }),
  webhook_deliveries: (input) => world.deliveries.filter(({ botId }) => botId === input.bot().id)
})
