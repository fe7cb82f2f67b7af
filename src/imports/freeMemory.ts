import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

/**
 * Has what is not used any more collected now. Left alone, the engine waits until as much again has gathered, so that a few large bodies
 * in a row would take several times the memory of one.
 */
export const freeMemory = (): void => collect()
