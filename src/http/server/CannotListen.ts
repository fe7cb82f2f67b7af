import * as Schema from "effect/Schema"

/** The setting to change if an address cannot be listened on. */
const AT_FAULT: Readonly<Record<string, string>> = {
  EADDRINUSE: "PORT",
  EACCES: "PORT",
  EADDRNOTAVAIL: "HOST",
  ENOTFOUND: "HOST",
  EAI_AGAIN: "HOST",
  EINVAL: "HOST",
  EAFNOSUPPORT: "HOST"
}

/** The address cannot be listened on. */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  cause: Schema.Defect(),
  /** What the names of its settings begin with. */
  prefix: Schema.optionalKey(Schema.Literal("OPERATIONS_"))
}) {
  override get message() {
    const { code, message } =
      this.cause instanceof Error ? (this.cause as NodeJS.ErrnoException) : { code: "", message: String(this.cause) }
    const prefix = this.prefix ?? ""
    return `${prefix}${AT_FAULT[code ?? ""] ?? `HOST, ${prefix}PORT`}: cannot listen: ${message}`
  }
}
