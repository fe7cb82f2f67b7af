import * as Data from "effect/Data"

/** The app is moving to another cell, which takes what is sent again later. Nothing was written. */
export class AppIsMoving extends Data.TaggedError("AppIsMoving")<{}> {}
