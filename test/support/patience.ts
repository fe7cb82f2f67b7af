import { isSoak } from "./suite/sized.ts"

/**
 * How long tests wait before they fail. A condition that comes true ends its wait, so these cost nothing while all is
 * well. They are long, because how fast a test goes on depends on what else the machine does.
 */
export const WAIT_MS = 120_000
/** For one test, or one hook. In full size, some take long. */
export const TEST_MS = isSoak ? 1_800_000 : 300_000
