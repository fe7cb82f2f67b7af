/** A bot that a person has created, from the manager's update. */
export interface MadeBot {
  readonly userId: number
  readonly username: string
  readonly ownerId: number
}

export interface BotPlace {
  readonly appId: string
  readonly channelId: string
}
