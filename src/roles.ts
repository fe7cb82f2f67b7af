import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ChannelKinds } from "#channels/Channel.ts"
import { Courier, CourierName } from "#channels/Courier.ts"
import { Feeds } from "#channels/event-log/Feeds.ts"
import * as LogWatch from "#channels/event-log/LogWatch.ts"
import { Outbound } from "#channels/outbound/Outbound.ts"
import { makeWebhookChannel } from "#channels/webhook/WebhookChannel.ts"
import { REWRITE_RULES } from "#pipeline/critic/criticPrompt.ts"
import { LAST_WORD, SERVICE_RULES } from "#pipeline/generation/prompt.ts"
import { Writer } from "#pipeline/generation/Writer.ts"
import { TurnPipeline } from "#pipeline/Turn.ts"
import { Authentication } from "#src/accounts/Authentication.ts"
import { KeyWatch } from "#src/accounts/KeyWatch.ts"
import * as Accept from "#src/db/Accept.ts"
import { Alignment } from "#src/db/Alignment.ts"
import { Channels } from "#src/db/Channels.ts"
import { CharacterVersions } from "#src/db/CharacterVersions.ts"
import { Deliveries } from "#src/db/Deliveries.ts"
import * as EventLogReader from "#src/db/EventLogReader.ts"
import * as Lanes from "#src/db/Lanes.ts"
import * as Notifier from "#src/db/Notifier.ts"
import * as Recalls from "#src/db/Recalls.ts"
import { Retention } from "#src/db/Retention.ts"
import * as SafetyRecords from "#src/db/SafetyRecords.ts"
import { Secrets } from "#src/db/Secrets.ts"
import { Traces } from "#src/db/Traces.ts"
import * as Transcripts from "#src/db/Transcripts.ts"
import { Turns } from "#src/db/Turns.ts"
import * as WebhookEndpointReader from "#src/db/WebhookEndpointReader.ts"
import { Workers } from "#src/db/Workers.ts"
import { HttpServer } from "#src/http/HttpServer.ts"
import { Membership } from "#src/jobs/Membership.ts"
import * as Runner from "#src/jobs/Runner.ts"
import { TurnRunner } from "#src/jobs/TurnRunner.ts"
import * as Watchdog from "#src/jobs/Watchdog.ts"
import { worstCaseMicroUsd } from "#src/model/prices.ts"
import { Settings } from "./settings.ts"

/** The engine behind replies: a model behind an address, or the labelled offline one. Loaded only when it is the one. */
const writer = Layer.unwrap(Effect.gen(function*() {
  const { model } = yield* Settings
  if (model === null) return (yield* Effect.promise(() => import("#src/model/offline/OfflineWriter.ts"))).layer
  return (yield* Effect.promise(() => import("#src/model/openai/OpenAiEngine.ts"))).layer(model)
}))

const inbox = Layer.unwrap(Effect.gen(function*() {
  const settings = yield* Settings
  const { model } = yield* Writer
  return Accept.layer({ holdMicroUsd: (mode) => worstCaseMicroUsd(model, mode, settings.model?.analyzeModel) })
}))

/** The couriers lease lanes under the name that this process is registered by as a worker. */
const courierName = Layer.effect(CourierName, Effect.map(Membership, ({ current }) => CourierName.of({ current })))

/** What moves the lanes. */
export const courier = Courier.layer.pipe(Layer.provide([Lanes.layer, courierName]))

const outbound = Layer.unwrap(Effect.gen(function*() {
  const { outboundAllow } = yield* Settings
  return Outbound.layer({ allow: outboundAllow })
}))

/** The push channels there are. */
const channelKinds = Layer.effect(ChannelKinds, Effect.gen(function*() {
  const webhook = yield* makeWebhookChannel
  return new Map([[webhook.kind, webhook]])
})).pipe(Layer.provide(WebhookEndpointReader.layer))

/** What the models that write are told, and nobody else is to read. */
const SERVICE_TEXT = [SERVICE_RULES, LAST_WORD, REWRITE_RULES].join("\n")

const worker = Layer.unwrap(Effect.gen(function*() {
  const { deadlines, retention, safetyTexts } = yield* Settings
  return Runner.layer.pipe(
    Layer.provide([TurnRunner.layer, courier]),
    Layer.provide(TurnPipeline.layer({ deadlines, serviceText: SERVICE_TEXT, safetyTexts })),
    Layer.provide([Transcripts.layer, Recalls.layer, SafetyRecords.layer, CharacterVersions.layer, Turns.layer, Membership.layer, Retention.layer(retention)])
  )
}))

const http = Layer.unwrap(Effect.gen(function*() {
  const { host, port, publicUrl, trustProxy } = yield* Settings
  return HttpServer.layer({ host, port, publicUrl, trustProxy }).pipe(
    Layer.provide([Authentication.layer, KeyWatch.layer, Traces.layer, Channels.layer, Deliveries.layer, inbox]),
    Layer.provide(LogWatch.layer.pipe(Layer.provideMerge(Feeds.layer), Layer.provideMerge(EventLogReader.layer)))
  )
}))

/** One process in the roles that the settings give it. Its parts start and stop side by side; what they stand on starts before and stops after them. */
export const roles = Layer.unwrap(Effect.gen(function*() {
  const settings = yield* Settings
  const serving = settings.roles.has("api") ? http : Layer.empty
  const working = settings.roles.has("worker") ? worker : Layer.empty
  return Layer.mergeAll(serving, working, Watchdog.layer, Notifier.layer).pipe(
    Layer.provide([writer, Workers.layer, Alignment.layer, channelKinds]),
    Layer.provideMerge(outbound),
    Layer.provide(Secrets.layer)
  )
}))
