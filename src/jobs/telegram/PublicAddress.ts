import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export interface AddressOptions {
  readonly publicUrl: string | null
  readonly host: string
  readonly port: number
}

/** A host that can be opened on this machine. A wildcard address is replaced with loopback. */
const openable = (host: string) =>
  host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host

/** The address of this server for links: PUBLIC_URL, or else where it listens. */
export class PublicAddress extends Context.Service<
  PublicAddress,
  {
    readonly current: Effect.Effect<string>
    /** Reports the actual port that the server listens on. */
    readonly listensOn: (port: number) => Effect.Effect<void>
  }
>()("src/jobs/telegram/PublicAddress") {
  static readonly layer = ({ publicUrl, host, port }: AddressOptions) =>
    Layer.sync(PublicAddress, () => {
      let address = publicUrl ?? `http://${openable(host)}:${port}`
      return PublicAddress.of({
        current: Effect.sync(() => address),
        listensOn: (port) =>
          Effect.sync(() => {
            if (publicUrl === null) address = `http://${openable(host)}:${port}`
          })
      })
    })
}
