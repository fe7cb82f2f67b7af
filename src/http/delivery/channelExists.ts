import { isId } from "#pipeline/domain/Id.ts"
import { Channels } from "#src/db/delivery/Channels.ts"
import { resourceExists } from "#src/http/server/resourceExists.ts"
import { channelScope } from "./channelScope.ts"
import { channelNotFound } from "./deliveryErrors.ts"

export const channelExists = resourceExists(channelNotFound, (params, { principal }) => {
  const scope = channelScope(principal.appId, params)
  const { channel_id: id = "" } = params
  return scope !== undefined && isId("chn", id) && Channels.use((channels) => channels.get(scope, id))
})
