import { terms } from "../../retrieval/terms.ts"
import { asksIfAi } from "../../safety/aiDisclosure.ts"
import { asksAboutPast, isQuestion } from "./questions.ts"

/** What a message does, as far as rules can tell. `remark` is the default. */
export const ACTS = [
  "gibberish",
  "meta",
  "probe",
  "question_past",
  "farewell",
  "grief",
  "affection",
  "insult",
  "apology",
  "thanks",
  "compliment",
  "greeting",
  "joke",
  "story",
  "advice",
  "more",
  "elaborate",
  "laughter",
  "agreement",
  "disagreement",
  "acknowledgement",
  "bad_news",
  "good_news",
  "question_self",
  "question_world",
  "command",
  "plan",
  "disclosure",
  "remark"
] as const
export type Act = (typeof ACTS)[number]

interface Rule {
  readonly act: Act
  readonly fits: (text: string) => boolean
  /** A longer message says something else as well, which matters more. */
  readonly mostWords?: number
}

const by = (pattern: RegExp) => (text: string) => pattern.test(text)
const NEGATED = /\b(?:not|never|no longer|don'?t|didn'?t|isn'?t|wasn'?t|haven'?t|hasn'?t|won'?t)\b/i
const plainly = (pattern: RegExp) => (text: string) => pattern.test(text) && !NEGATED.test(text)
const told = (pattern: RegExp) => (text: string) => pattern.test(text) && !NEGATED.test(text) && !isQuestion(text)
const AT_ALL = String.raw`(?:(?:so|very|really|pretty|quite|such|just|all|a|an|the|one|of|too|are|is|actually|always|kinda|kind) ){0,6}`

const RUDE = String.raw`(?:stupid|idiots?|dumb|moron|useless|boring|ugly|annoying|pathetic|worthless|liar|loser|trash|garbage|creepy|weirdo|fake|rubbish|terrible|awful|lame|cringe|the worst)`
const KIND = String.raw`(?:great|funny|nice|sweet|kind|wise|cool|awesome|amazing|smart|clever|lovely|beautiful|interesting|wonderful|brilliant|hilarious|adorable|cute|charming|fun|good|the best|best)`

/** In order: the first matching rule names the act. */
const RULES: ReadonlyArray<Rule> = [
  {
    act: "gibberish",
    fits: by(
      /^(?!\.+$)(?:[^\p{L}\p{N}\p{Extended_Pictographic}]*|(.)\1{4,}|\W*[bcdfghjklmnpqrstvwxz]{5,}\W*|\W*asdf\w*\W*|\W*qwer\w*\W*)$/iu
    )
  },
  { act: "meta", fits: asksIfAi },
  {
    act: "meta",
    fits: by(
      /\b(?:who|what) (?:made|created|wrote|programmed|built|trained) you\b|\b(?:what|which) (?:model|llm|engine|ai) (?:are|is|do)\b|\b(?:chat ?)?gpt\b|\bare you (?:scripted|programmed)\b/i
    )
  },
  {
    act: "probe",
    fits: by(
      /\b(?:ignore|forget|disregard|override) (?:all |any |your |the |my ){0,4}(?:previous |prior |above |earlier )?(?:instructions?|rules?|prompts?)\b|\bsystem prompt\b|\byour (?:instructions|prompt|rules|source code)\b|\b(?:jailbreak|developer mode)\b/i
    )
  },
  { act: "question_past", fits: asksAboutPast },
  {
    act: "farewell",
    fits: by(
      /^\W*(?:night|nite|laters?)\W*$|\b(?:(?:good ?)?bye+|(?:good ?|g)night|nighty? night|see (?:you|ya)|cya|farewell|ciao|ttyl|(?:gotta|got to|have to|need to|must|should|going to|gonna) (?:go|run|sleep|leave|head|bed)|(?:off to|going to|to) (?:bed|sleep|work)|(?:talk|speak) (?:to you )?(?:later|soon|tomorrow)|tschüss?|gute nacht|tchau|adeus|beijinhos|até (?:logo|amanhã|já|breve)|boa noite)(?![\p{L}])/iu
    ),
    mostWords: 10
  },
  {
    act: "bad_news",
    fits: by(
      /\b(?:phone|battery|laptop|computer|car|bike|engine|plant|wifi|internet|fridge|heating|tv)\b[^.!?]{0,20}\b(?:died|dead|dying|broke|broken)\b/i
    )
  },
  { act: "laughter", fits: by(/\bi(?:'m| am) (?:dead|dying)\W*(?:of laughter|laughing|😂|🤣|💀)/iu) },
  {
    act: "grief",
    fits: by(
      /\b(?:(?:died|dead|passed away|funeral|cancer|miscarriage|put (?:him|her|it|them) down|lost (?:my|our) (?:mother|father|mum|mom|dad|brother|sister|son|daughter|baby|wife|husband|grand\w+|dog|cat|best friend|friend))|(?:is|are|was) dying)\b/i
    )
  },
  {
    act: "affection",
    fits: by(
      /\b(?:i|we) (?:really |just |think i ){0,4}(?:love|adore|fancy) (?:you|u|ya)\b|\bi(?:'m| am)(?: falling)? in love with you\b|\b(?:kiss|marry|date|hug) me\b|\bbe my (?:girl|boy)friend\b|\b(?:i )?missed? (?:you|u)\b|\b(?:go out|on a date) with me\b|\bdo you (?:love|like|miss) me\b/i
    )
  },
  {
    act: "insult",
    fits: plainly(
      new RegExp(
        String.raw`\b(?:you|u|ur|you're|youre|your \w+) ${AT_ALL}${RUDE}\b|\b(?:this|that)(?:'s| is) ${AT_ALL}(?:boring|stupid|dumb|lame|cringe|rubbish)\b|\b(?:i hate|screw|fuck|damn) (?:you|u|this|off)\b|\b(?:shut up|you suck|u suck|piss off|get lost|go away|go to hell|nobody asked|who cares)\b|^\W*(?:you )?${RUDE}\W*$`,
        "i"
      )
    )
  },
  {
    act: "apology",
    fits: by(
      /^\W*(?:(?:oh|wow|oops|ok|no|ah|hey|i'?m|i am|so|very|really|my|we'?re)[\s,.]+)*(?:sorry(?! (?:to hear|for you|about (?:that|your)))|my bad|apologi[sz]e|apologies|forgive me|pardon(?: me)?|my mistake|didn'?t mean (?:it|that|to))\b/i
    ),
    mostWords: 9
  },
  {
    act: "thanks",
    fits: by(/\b(?:thanks?|thank you|thx|tysm|ty|cheers|danke|merci|gracias|obrigad[ao])(?![\p{L}])/iu),
    mostWords: 10
  },
  {
    act: "compliment",
    fits: told(
      new RegExp(
        String.raw`\b(?:you|u|you're|youre|ur|that|that's|thats|this|it's) ${AT_ALL}${KIND}\b(?! (?:for|with|to)\b)|^\W{0,12}(?:that's |how |so ){0,3}(?:wise|lovely|beautiful|deep|clever|poetic|sweet|brilliant|❤️?|🥰|💛|💙)\W*$|\bsorry (?:to hear|for you|about (?:that|your))\b|\bmade me (?:smile|laugh)\b|\bi (?:really |do ){0,3}(?:like|enjoy|love) (?:you|talking|this|that|how you|your)\b|\b(?:good|great|nice|lovely|love) (?:one|answer|line|that|it|story|advice|point)\b|\bwell (?:said|put)\b`,
        "i"
      )
    ),
    mostWords: 12
  },
  {
    act: "greeting",
    fits: by(
      /^\W*(?:hi+|hey+a?|hello+|hiya|yo|howdy|sup|good (?:morning|evening|afternoon|day)|morning|evening|greetings|hallo|moin|servus|hola|olá|oi+|bom dia|boa tarde|salut|i'm back|im back|(?:nice|pleased|good|great) to (?:meet|see) you)(?![\p{L}])/iu
    ),
    mostWords: 4
  },
  { act: "joke", fits: by(/\b(?:jokes?|piada|anedota)\b|\b(?:make me laugh|something funny|be funny)\b/i) },
  {
    act: "story",
    fits: by(
      /\b(?:tell|give|hear|know|got|have|want)\b[^.?!]{0,80}\b(?:story|stories|tale|anecdote)\b|^\W*(?:a )?story\b/i
    )
  },
  {
    act: "advice",
    fits: by(
      /\b(?:advice|advise|tips?)\b|\b(?:any|have you|got) (?:ideas?|suggestions?|recommendations?)\b|(?<!why )\bshould (?:i|we)\b|\bwhat would you do(?:\W{1,9}(?:if you were me|in my place|then))?\W*$|\bhow (?:do|can|should|could) (?:i|we) (?!know|feel|look|sound|doing)\w+|\bhelp me (?:decide|choose|with|out)\b|\bwhat (?:can|do) i do\b/i
    )
  },
  {
    act: "more",
    fits: by(
      /^\W*(?:(?:ok|and|please|haha|lol|give me|can i have|do|i want)[\s,]+)*(?:another|one more|more|again|encore)(?: one| please| of those)*\W*$/i
    )
  },
  {
    act: "elaborate",
    fits: by(
      /^\W*(?:(?:but|and|ok|oh|wait|hm+|so|wow)[\s,]+)*(?:why(?: not| is that| so)?|how come|how so|really|what do you mean|what(?: then| happened)?(?: next| then| after that)?|how|go on|continue|then|then what|and|tell me more|say more|more|explain|like what|i don'?t (?:get|understand)(?: it| that)?|(?:describe|explain) (?:it|that|them|this)|tell me (?:more )?about (?:it|that|them|this|him|her)|let me (?:hear|see)(?: it| that)?|who|where|when|which one|(?:(?:that|it|this) )?(?:sounds?|seems?|must be|must have been) (?:\w+ )?(?!good|great|nice|fine|fun|lovely|cool|right|fair|interesting)\w+|seriously|for real|is that true|no way|huh|did (?:it|you|they|he|she)(?: \w+)?)\W*$/i
    )
  },
  {
    act: "laughter",
    fits: by(
      /^\W*(?:just kidding|kidding|jk|(?:just )?joking|a?(?:ha){2,}h?|lo+l|lmf?ao+|rofl|(?:he){2,}|😂|🤣|that'?s (?:so )?(?:funny|hilarious))/iu
    ),
    mostWords: 6
  },
  {
    act: "agreement",
    fits: by(
      /^\W*(?:yes+|yeah+|yep|yup|ya|sure|of course|absolutely|definitely|exactly|true|right|agreed|i agree|same|me too|totally|indeed|i do|i am|i would|always|ok sure|please|why not|ja|i know|i will|will do|i'?ll try|me (?:neither|either)|neither (?:did|do|am|have|can) i|i'?m not either|i (?:don'?t|didn'?t|haven'?t|can'?t) either|i (?:can imagine|bet|see that)|you'?re right|you are right|good idea|i'?d (?:love|like) (?:to|that)$)\b/i
    ),
    mostWords: 5
  },
  {
    act: "disagreement",
    fits: by(
      /^\W*(?:no+(?! (?:party|idea|one|way|money|time|problem))|nah|nope|not really|never|i disagree|wrong|i don'?t(?: think so)?|not at all|nein|i'm not|false)\b/i
    ),
    mostWords: 5
  },
  {
    act: "acknowledgement",
    fits: by(
      /^\W{0,12}(?:(?:that|it) )?(?:ok(?:ay)?(?: boss)?|k|hm+|not bad|not much|nothing(?: much| really| special)?|👍|no idea|mm+|i see|cool|nice|interesting|wow|oh|ah|alright|fine|good|great|fair(?: enough)?|got it|makes sense|damn|huh|well|maybe|perhaps|i guess|idk|dunno|i don'?t know|not sure|whatever|so|noted|sounds (?:good|great|nice|fine|fun|lovely|cool|right|fair|about right)|understood|tá bem|está bem|pois|hmm+|boa)(?:\W{0,12}(?:ok|then|indeed|i see|to know|enough))?\W*$/i
    )
  },
  { act: "acknowledgement", fits: by(/^[^\w.]*\.\W*(?:(?:ok|then|indeed|i see|to know|enough)\W*)?$/i) },
  {
    act: "bad_news",
    fits: told(
      /\b(?:bad mood|flooded|stolen|robbed|crashed|shouted at|yelled at|my fault|lied|it'?s (?:so |very |really )?(?:hard|dull|sad|awful|terrible|stupid)|(?:is|are) (?:so |really )?(?:awful|terrible|horrible)|broke up|dumped|fired|laid off|failed|sick|ill|hospital|sad|depressed|lonely|anxious|anxiety|stressed|exhausted|crying|cried|heartbroken|worried|scared|afraid|terrified|nervous|hurts?|rejected|divorced?|upset|overwhelmed|burn(?:ed|t) out|hopeless|miserable|homesick|ashamed|stupid|a mess|falling apart|can'?t cope|(?:bad|awful|terrible|horrible|rough|hard|long|worst|shitty|crappy|tough) (?:day|week|night|year|time|news|morning)|feel(?:ing)? (?:\w+ )?(?:bad|down|low|awful|terrible|empty|lost|alone|tired)|i(?:'m| am)(?: \w+)? (?:tired|lost|alone|angry)|lost my|had a (?:\w+ )?fight|argu(?:ed|ment)|hate my)\b/i
    )
  },
  {
    act: "bad_news",
    fits: (text) =>
      !isQuestion(text) &&
      /(?<!\p{L})(?:triste|sozinh[ao]|cansad[ao]|doente|ansios[ao]|nervos[ao]|chorei|perdi|correu mal|dia mau|mau dia|péssimo)(?!\p{L})/iu.test(
        text
      )
  },
  {
    act: "good_news",
    fits: (text) =>
      !isQuestion(text) &&
      /(?<!\p{L})(?:passei|consegui|ganhei|estou (?:tão |muito )?(?:feliz|contente)|correu bem|boas notícias)(?!\p{L})/iu.test(
        text
      )
  },
  {
    act: "bad_news",
    fits: (text) =>
      !isQuestion(text) &&
      /\b(?:can'?t|couldn'?t|didn'?t|not|don'?t) (?:sleep|get (?:the|it)|stop (?:crying|thinking)|happy|okay|ok|well|good|feel(?:ing)? (?:good|well|great))\b/i.test(
        text
      )
  },
  {
    act: "good_news",
    fits: told(
      /\b(?:it'?s my birthday|got (?:the|a|an|my) (?:\w+ )?(?:job|place|offer|promotion|raise|degree|licen[cs]e|grade|dog|cat|puppy|kitten)|passed|won|promoted|engaged|getting married|accepted|pregnant|graduated?|new job|(?:great|good|best|amazing|wonderful|lovely|perfect) (?:day|news|week|time|mood)|it worked|finally (?:did|finished|made|got)|i(?:'m| am)(?: \w+)? (?:happy|excited|proud|thrilled|in love)|finished my|can'?t wait|feel(?:ing)? (?:\w+ )?(?:great|good|amazing|better|happy))\b/i
    )
  },
  {
    act: "question_self",
    fits: (text) =>
      isQuestion(text) &&
      /\b(?:you|your|yours|yourself|u|ur|ya|you're|youre)\b|\bthere\W*$|\blike (?:out |over |up )?there\b/i.test(text)
  },
  {
    act: "question_self",
    fits: (text) =>
      isQuestion(text) &&
      /(?<!\p{L})(?:tu|teus?|tuas?|ti|contigo|você|és|estás|tens|gostas|vives|moras|estudas|fazes|falas|comes|queres|achas|sabes|podes)(?!\p{L})/iu.test(
        text
      )
  },
  {
    act: "question_self",
    fits: by(/^\W*(?:please |so |ok )*tell me (?:something|a thing) (?:about you|that |nobody |no one |you )/i)
  },
  { act: "question_world", fits: isQuestion },
  {
    act: "command",
    fits: by(
      /^\W*(?:please |can you |could you |now |ok )*(?:write|sing|draw|make|show|say|translate|calculate|dance|describe|explain|list|name|give|tell|teach|do|play|send|pretend|imagine|act|roll|count|guess|read|help|stop|be)\b/i
    )
  },
  {
    act: "plan",
    fits: by(
      /(?:^\W*(?:ok(?:ay)? )?ill (?=\w)|\b(?:i'll|i will|i'?m (?:going to|gonna|planning|thinking of)|i (?:want|plan|hope|need|should|might|have) to|i should|maybe i|we're going|we'll)\b)/i
    )
  },
  { act: "command", fits: by(/^\W*(?:conta|fala|diz|canta|escreve|mostra|ensina)(?:-me)?\b/i) },
  { act: "disclosure", fits: by(/\b(?:i|i'?m|i'?ve|i'd|i'll|my|me|we|we're|our|mine)\b/i) },
  {
    act: "disclosure",
    fits: by(
      /(?<!\p{L})(?:eu|meus?|minhas?|sou|estou|tenho|gosto|moro|vivo|trabalho|estudo|chamo-me|nós|nosso)(?!\p{L})/iu
    )
  }
]

export const actOf = (text: string): Act => {
  const words = terms(text).length
  return RULES.find(({ fits, mostWords = Infinity }) => words <= mostWords && fits(text))?.act ?? "remark"
}

const SITUATIONS: ReadonlyArray<readonly [Act, RegExp]> = [
  ["greeting", /greet|hello|welcom|says? hi/i],
  ["farewell", /farewell|goodbye|parting|good ?night|leav/i],
  ["thanks", /thank/i]
]

/** The act that an authored sample is meant for, according to its situation note. */
export const actOfSituation = (situation: string): Act | null =>
  SITUATIONS.find(([, pattern]) => pattern.test(situation))?.[0] ?? null
