/** A bot that a person has made, as the manager is told. */
export interface MadeBot {
  readonly userId: number
  readonly username: string
  readonly ownerId: number
}

export interface BotPlace {
  readonly appId: string
  readonly channelId: string
}
