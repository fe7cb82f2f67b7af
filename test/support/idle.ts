import { setTimeout as pause } from "node:timers/promises"

/**
 * What a person, a client or a network does between two calls: nothing, for a while. It makes load realistic. Never use
 * it to wait for something: that is what `until` is for.
 */
export const idle = (ms: number): Promise<void> => pause(ms)
