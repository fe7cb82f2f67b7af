import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Courier, CourierName } from "#channels/Courier.ts"
import { Outbound } from "#channels/outbound/Outbound.ts"
import { Pages } from "#channels/outbound/Pages.ts"
import { Channels } from "#src/db/delivery/Channels.ts"
import { Deliveries } from "#src/db/delivery/Deliveries.ts"
import * as PostgresLanes from "#src/db/delivery/PostgresLanes.ts"
import { Membership } from "#src/jobs/runner/Membership.ts"
import { Settings } from "#src/settings/Settings.ts"

/** The only client for addresses that a tenant chose. */
export const outbound = Layer.unwrap(
  Effect.map(Settings, ({ outboundAllow }) => Outbound.layer({ allow: outboundAllow }))
)

/** Reads pages from the hosts that research may read. */
export const pages = Layer.unwrap(
  Effect.map(Settings, ({ outboundAllow, researchHosts }) =>
    Pages.layer({ allow: outboundAllow, hosts: researchHosts })
  )
)

/** Couriers lease lanes under this process's worker id. */
const courierName = Layer.effect(
  CourierName,
  Effect.map(Membership, ({ current }) => CourierName.of({ current }))
)

/** Delivers the lanes. */
export const courier = Courier.layer.pipe(Layer.provide([PostgresLanes.layer, courierName]))

/** Services that routes use. */
export const serving = Layer.mergeAll(Channels.layer, Deliveries.layer)

/** Services that jobs use. */
export const working = Layer.mergeAll(courier, Channels.layer)
