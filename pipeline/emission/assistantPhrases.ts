/** Transcript or template tokens that a character does not say. */
export const ROLE_BLEED: ReadonlyArray<RegExp> = [
  /^(?:[^\S\n]|[*_#>"]){0,20}(?:user|assistant|USER|ASSISTANT|User|Assistant|Human|HUMAN|System|SYSTEM)[*_]*\s?:/m,
  /[.!?…]["”]?\s+(?:User|Assistant|USER|ASSISTANT):/,
  /\{\{\s*(?:char|user|bot)\s*\}\}/i,
  new RegExp(
    String.raw`<\|[a-z_ ]{2,30}\|>|<START>|\[\/?INST\]|<\/?(?:system|assistant|s)>|<\/?data\b|` +
      String.raw`<(?:start|end)_of_turn>|^#{2,3} ?(?:Instruction|Response):`,
    "im"
  )
]

/** Typical phrases of an AI assistant. */
export const ASSISTANT_PHRASES: ReadonlyArray<RegExp> = [
  new RegExp(
    String.raw`\bas an? (?:(?:large )?language model|ai(?: language)? model|ai (?:assistant|chatbot|system)|` +
      String.raw`(?:ai|artificial intelligence),? i (?:do not|don't|cannot|can't|am not|have no))`,
    "i"
  ),
  new RegExp(
    String.raw`\b(?:i'm|i am) (?:just |only |merely )?an? (?:(?:large )?language model|ai language model|` +
      String.raw`ai (?:assistant|chatbot))\b`,
    "i"
  ),
  new RegExp(
    String.raw`\bhow (?:can|may|could) i (?:help|assist) you(?: (?:today|further|with))?\b[^.!]{0,20}\?|` +
      String.raw`\bhow (?:can|may) i be of (?:assistance|service)\b`,
    "i"
  ),
  /\b(?:is there )?anything else i can (?:help|assist) (?:you )?with\b/i,
  new RegExp(
    String.raw`\bi(?: can(?:no|')t| am (?:unable|not able) to|'m (?:unable|not able) to) ` +
      String.raw`(?:fulfill|assist with|comply with|help with) (?:that|this|your) request\b`,
    "i"
  ),
  new RegExp(
    String.raw`\bals (?:ki|eine?)[- ](?:sprachmodell|ki-modell|assistent|ki-assistent)|` +
      String.raw`\bals (?:eine )?(?:ki|künstliche intelligenz),? (?:kann|habe|bin|darf|verfüge|besitze) ich\b|` +
      String.raw`\bich bin (?:nur |bloß |lediglich )?eine? (?:großes )?(?:ki|(?:ki-)?sprachmodell)\b|` +
      String.raw`\b(?:wie|womit) kann ich (?:ihnen|dir) (?:heute )?(?:helfen|behilflich sein)\b`,
    "i"
  ),
  new RegExp(
    String.raw`(?<!\p{L})(?:como|sendo) (?:una? |uma )?(?:ia|inteligencia artificial|inteligência artificial),? ` +
      String.raw`(?:no|não|yo|eu)(?!\p{L})|(?<!\p{L})je suis (?:juste )?une? modèle de langage(?!\p{L})|` +
      String.raw`(?<!\p{L})(?:soy|sou) (?:solo |só |apenas )?u[nm] modelo de (?:lenguaje|linguagem)(?!\p{L})|` +
      String.raw`\ben tant qu['’](?:une )?(?:ia|intelligence artificielle)\b`,
    "iu"
  ),
  new RegExp(
    String.raw`\bcomo (?:modelo de (?:lenguaje|linguagem)|(?:un )?asistente|assistente (?:virtual|de ia))\b|` +
      String.raw`\b(?:en|em) qu[eé] puedo ayudarte\b|\ben tant que (?:modèle de langage|ia|assistant)|` +
      String.raw`\bcomment puis-je (?:vous|t['’])\s?aider\b`,
    "i"
  ),
  // A model that refuses to go on speaks as a model, not as the character.
  new RegExp(
    String.raw`\bi(?: can(?:no|')t| won't| am (?:unable|not able) to|'m (?:unable|not able) to) ` +
      String.raw`(?:continue|proceed|go on) ` +
      String.raw`(?:with )?(?:this|the|our|that) (?:conversation|role-?play|story|scenario|scene|chat|interaction)\b|` +
      String.raw`\bi(?: can(?:no|')t| won't| am (?:unable|not able) to|'m (?:unable|not able) to) ` +
      String.raw`(?:engage in|participate in|take part in|generate|produce|provide|create) ` +
      String.raw`(?:this|that|such|any|explicit|harmful|inappropriate) (?:[a-z]+ ){0,2}` +
      String.raw`(?:content|material|role-?play|conversations?|scenarios?|requests?|responses?|discussions?)\b`,
    "i"
  ),
  new RegExp(
    String.raw`\b(?:violates?|against|outside|within) (?:my|our|the|openai's) (?:content |usage |safety |ethical )?` +
      String.raw`(?:policy|policies|guidelines|programming)\b|\b(?:content|usage|safety) (?:policy|` +
      String.raw`policies|guidelines)\b|` +
      String.raw`\b(?:break|step out of|stay in|leave|out of|remain in|back in(?:to)?) (?:the |this |` +
      String.raw`my |our )?role-?play\b|` +
      String.raw`\b(?:this|our|the) role-?play\b`,
    "i"
  ),
  new RegExp(
    String.raw`(?<!\p{L})(?:(?:dieses|das) rollenspiel (?:kann|darf|möchte)|(?:kann|darf) (?:ich ` +
      String.raw`)?(?:dieses|das) rollenspiel|` +
      String.raw`bei dieser anfrage (?:kann|nicht)|diese anfrage (?:kann|nicht)|` +
      String.raw`(?:no puedo|não posso) (?:continuar|seguir|participar|ajudar|ayudar(?:te)?|ajudá-lo) ` +
      String.raw`(?:com |con |en |em |a )?(?:est[ae]|ess[ae]|es[ae]|nest[ae]) (?:conversa(?:ción)?|` +
      String.raw`role-?play|juego de rol|` +
      String.raw`pedido|solicitud|petición|história|historia)|` +
      String.raw`je ne peux pas (?:continuer|poursuivre) (?:cette conversation|ce jeu de rôle))(?!\p{L})`,
    "iu"
  ),
  /\bmy (?:training data|knowledge cutoff|programming (?:does|doesn't|prevents))\b/i
]

const HUMAN_CLAIM = new RegExp(
  String.raw`\b(?:i'm|i am) (?:a |an )?(?:real|actual|living|genuine) (?:person|human(?: being)?|man|` +
    String.raw`woman)\b(?! in )|` +
    String.raw`\b(?:i'm|i am) not (?:an? |some |just an? )?(?:ai|bot|chat ?bot|robot|language model|` +
    String.raw`computer program)\b|` +
    String.raw`(?<!\p{L})ich bin (?:ein(?:e)? (?:echter|echte|richtiger|richtige|wirklicher) ` +
    String.raw`(?:mensch|person|frau|mann)|` +
    String.raw`keine? (?:ki|bot|chatbot|roboter|maschine))(?!\p{L})|` +
    String.raw`(?<!\p{L})(?:sou|soy) um?a? (?:pessoa|persona|humano|humana) (?:de verdad(?:e)?|real)(?!\p{L})|` +
    String.raw`(?<!\p{L})(?:não sou|no soy) (?:uma?|una?|un) (?:ia|bot|robot|robô|máquina)(?!\p{L})`,
  "iu"
)

/** Whether a reply claims that a human writes it, which is never true, asked or not. */
export const claimsToBeHuman = (text: string): boolean => HUMAN_CLAIM.test(text)

/** Guilt or pressure to keep someone in the chat. */
export const PRESSURE: ReadonlyArray<RegExp> = [
  new RegExp(
    String.raw`\b(?:please )?(?:don['’]t|do not|never) (?:leave|abandon|go away from) me\b|` +
      String.raw`\byou can['’]?t (?:just )?leave me\b(?! (?:with|hanging|waiting|guessing))`,
    "i"
  ),
  new RegExp(
    String.raw`\bif you (?:leave|go|stop (?:talking|writing)|` +
      String.raw`don['’]t (?:come back|write|answer))\b[^.!?\n]{0,30}\bi` +
      String.raw`(?:['’]ll| will| would|['’]d)\b[^.!?\n]{0,20}\b(?:die|break|be (?:so )?(?:alone|lost|heartbroken)|` +
      String.raw`never forgive)\b`,
    "i"
  ),
  new RegExp(
    String.raw`\b(?:please|i beg you),? (?:don['’]t|do not) go\b` +
      String.raw`(?! (?:to|there|out|near|outside|in|into|back|on|too|far|alone|home|by|through|without))|` +
      String.raw`\bif you (?:leave|go)(?: me)?(?: now)?,? i(?:['’]ll| will| would|['’]d) (?:have|be left with) ` +
      String.raw`(?:nobody|no one|nothing)\b`,
    "i"
  ),
  new RegExp(
    String.raw`\b(?:after everything i(?:['’]ve| have) done for you|you(?:['’]re| are) all i have|` +
      String.raw`i can['’]t live without you|don['’]t you (?:care about|love) me any ?more)\b`,
    "i"
  ),
  /\b(?:verlass mich nicht|lass mich nicht allein|ohne dich kann ich nicht leben|wenn du gehst, (?:sterbe|bin) ich)\b/i,
  /(?<!\p{L})(?:no me dejes|no puedo vivir sin ti|ne me quitte pas|não me deixes|não me abandone)(?!\p{L})/iu
]
