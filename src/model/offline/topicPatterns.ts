/**
 * What questions to a character are about, in four languages, so that "so what is it you do out there" finds the
 * answer to "what do you do all day". The patterns match the words of `wording`: lower case, without accents,
 * apostrophes and marks. A gap between words has at most 30 characters.
 */
const GAP = String.raw`[^?]{0,30}`
export const TOPICS: Readonly<Record<string, string>> = {
  name:
    `(?:what|whats) is your (?:full |real )?name|your name|(?:what|how) (?:should|do|can|shall) (?:i|we|people) call ` +
    `you|what are you called|como te chamas|como voce se chama|(?:teu|seu|tu) (?:nome|nombre)|como te llamas|` +
    `wie heisst du|dein name`,
  self:
    `who (?:are|is) you(?: then| exactly| anyway)?$|tell me about yourself|about yourself|introduce yourself|` +
    `describe yourself|what is your (?:story|deal)|quem es(?: tu)?$|quem e voce|fala(?: me)? (?:sobre|de) ti|` +
    `fala de voce|quien eres|hablame de ti|wer bist du|erzahl (?:mir )?(?:was |etwas )?(?:von|uber) dir`,
  day:
    `what (?:is it |exactly |actually |even )*(?:do |that )?you (?:actually |really |even |guys )?do` +
    `(?: all day| all day long| out there| up there| down there| there| here| everyday| every day| with your ` +
    `(?:time|days))?(?: then| exactly| anyway)?$|(?:typical|normal|average|usual) day|your days? (?:look|go|like)|` +
    `do all day|o que (?:e que )?(?:tu )?(?:fazes|voce faz)(?: o dia todo| ai| por ai| durante o dia|` +
    ` todos os dias| na \\w+| em \\w+)*$|` +
    `que haces(?: todo el dia| ahi)?$|was machst du (?:so |denn )*(?:den ganzen tag|da|dort)?$`,
  job:
    `for a living|your (?:job|work|trade)|where do you work|what do you work|do you work|em que (?:e que )?` +
    `(?:trabalhas|voce trabalha)|o teu trabalho|tens (?:um )?(?:emprego|trabalho)|a que te dedicas|en que trabajas|` +
    `tu trabajo|was arbeitest du|was machst du beruflich|dein (?:beruf|job)`,
  likesJob:
    `(?:like|love|enjoy|hate|tired of|sick of|good at) (?:your|the|this|doing|being) ?(?:job|work|what you do|it)?$|` +
    `happy (?:with|in|at) your (?:job|work)|gostas (?:do que fazes|do teu trabalho|do curso|de estudar)|` +
    `magst du deinen? (?:job|arbeit)|te gusta tu trabajo|what do you (?:like|love|hate) (?:most )?about (?:your|` +
    `the|this)`,
  becameJob:
    `(?:why|how|when) (?:did|do) you (?:become|start|get into|end up|begin|choose|pick|want to (?:be|become))|` +
    `what made you (?:become|choose|start|want)|how did you get (?:into|started)|who taught you|where did you learn|` +
    `how did you learn|porque (?:e que )?(?:escolheste|foste|decidiste)|como (?:e que )?(?:foste parar|comecaste|` +
    `aprendeste)|por que elegiste|como empezaste|wie bist du (?:dazu|darauf|zu)|warum hast du dich|wer hat dir`,
  hardestJob:
    `(?:hardest|worst|toughest|most difficult|annoying) (?:part|thing|bit) (?:of|about|in) (?:your|the|being|living|` +
    `teach|it|this)|what is (?:so )?(?:hard|difficult) about|o mais dificil|lo mas dificil|das schwerste`,
  home:
    `where (?:exactly )?(?:do|are) you (?:live|living|based|staying|at)|where you live|where is (?:that|it|this)$|` +
    `your (?:house|flat|home|room|place|apartment)|onde (?:e que )?(?:tu )?(?:vives|moras|voce mora|estas)|` +
    `donde vives|` +
    `a tua casa|wo wohnst du|wo lebst du|dein (?:haus|zuhause)|deine wohnung`,
  origin:
    `where (?:are|were|do) you (?:come |originally |born |grow |raised )*(?:from|born|up|raised)|` +
    `where you (?:are|come) ` +
    `from|your (?:hometown|home town)|de onde (?:e que )?(?:tu )?(?:es|vens|voce e)|de donde eres|` +
    `woher kommst du|wo kommst ` +
    `du her|wo bist du (?:geboren|aufgewachsen)`,
  placeLike:
    `(?:what|how) is (?:it (?:actually|really)|it|the place|life|the island|your (?:island|town|street|city|` +
    `place)|living) ?(?:like)?` +
    `(?: out| up| over| down)?(?: there| in \\w+)?$|what is it like(?: out| up| over)? there|is it (?:beautiful|nice|` +
    `pretty|boring|quiet)(?: there)?|como e (?:a vida )?(?:ai|viver ai|a cidade)|e bonito ai|como es (?:ahi|vivir)|` +
    `wie ist es (?:da|dort)|wie lebt es sich`,
  coldThere:
    `(?:is it|are you|do you get|how) (?:\\w+ )?(?:cold|freezing|warm|hot)(?: there| up there)?|(?:tens|tas com|` +
    `nao tens) ` +
    `frio|(?:faz|esta|estao|ha|fazia) (?:muito |tanto |assim |mesmo )*(?:frio|calor)|hace frio|tienes frio|` +
    `ist es kalt|frierst du`,
  weather:
    `(?:how|what) is (?:the )?(?:weather|sky|wind)|weather (?:like|out|over|up)|(?:is it|does it) (?:rain|snow|sunny)` +
    `(?: there)?|como esta o tempo|que tempo|que tempo faz|como esta el tiempo|wie ist das wetter`,
  whoElseLives:
    `(?:does|do|is|are) (?:anyone|anybody|someone|other people|any people|people) (?:else )?(?:live|living|` +
    `there|with|` +
    `around|out)|(?:do|are) you (?:live |living |there |really )*(?:alone|by yourself|on your own)|live with|` +
    `your (?:roommate|flatmate|housemate)|(?:moras|vives|vive|mora) com quem|com quem (?:e que )?(?:tu )?(?:moras|` +
    `vives)|quem (?:e que )?(?:mora|vive) contigo|colega de (?:casa|quarto)|mit wem wohnst du|con quien vives|` +
    `how many people ` +
    `live|who (?:else )?(?:lives|do you live)|moras? sozinh|vives? (?:sozinh|com alguem|sola?|con alguien)|` +
    `wohnst du allein|lebst du allein`,
  age:
    `how old (?:are|is) you|your age|what year (?:were|was) you born|quantos anos (?:tens|voce tem|tem)|que idade|` +
    `cuantos anos tienes|wie alt bist du`,
  birthday: `(?:when|what) is your birthday|birthday|quando fazes anos|aniversario|cumpleanos|geburtstag`,
  family:
    `(?:do you have|about|have you got|got)(?: a| any| your| much)? (?:famil|sibling)\\w*|your family|tens familia|` +
    `(?:a tua|da tua) familia|tienes familia|tu familia|hast du familie|deine familie`,
  siblings:
    `(?:do you have|have you got|got|your|are you close (?:with|to) your)(?: a| any)? (?:brother|sister|sibling)s?|` +
    `tens irmaos|teus irmaos|voce tem irmaos|tienes hermanos|tus hermanos|hast du geschwister|dein bruder|` +
    `deine schwester`,
  parents:
    `your (?:parent|mother|father)s?(?: do| like| alive)?|who raised you|(?:teus|tus) (?:pais|padres)|(?:tua|tu) ` +
    `(?:mae|madre)|(?:teu|tu) (?:pai|padre)|deine (?:eltern|mutter)|dein vater`,
  grandparents:
    `your grand(?:mother|father|parents?)|(?:tua|tu|teu) (?:avo|abuela|abuelo|avozinha)|deine (?:oma|grossmutter)|` +
    `dein (?:opa|grossvater)`,
  children:
    `(?:do you have|have you got|got|want|ever want)(?: any| a)? (?:children|child|daughter|son)|tens filhos|tienes ` +
    `hijos|hast du kinder`,
  daughter: `your (?:daughter|son|child|children)|(?:tua|tu) (?:filha|hija)|deine tochter|beatriz`,
  love:
    `(?:are|is|r) you (?:\\w+ )?(?:single|married|taken|dating|seeing (?:anyone|someone)|in a relationship|in love)|` +
    `(?:do you have|have you got|you got|got|got a|have)(?: a| any)? (?:boyfriend|girlfriend|partner|husband|wife|bf|` +
    `gf|lover|man|crush)|tens (?:namorad\\w|alguem)|voce tem namorad\\w|es casad\\w|tienes (?:novi\\w|pareja)|` +
    `hast du (?:einen? )?(?:freund|freundin|mann|frau)$|bist du (?:verheiratet|single|vergeben)`,
  everLoved:
    `ever (?:been |fallen |loved|love|fall )(?:in love|someone|anyone|married)?|first love|great love|love of your ` +
    `life|ja (?:te apaixonaste|amaste|estiveste apaixonad)|warst du (?:schon )?(?:mal |je )?verliebt`,
  friends:
    `(?:do you have|have you|got|made|make|have)(?: any| many| a)? ?(?:best )?friends?(?: there| up there)?|your ` +
    `(?:best )?friends?|who do you (?:talk|hang|spend)|tens amigos|teus amigos|tienes amigos|hast du freunde`,
  lonely:
    `(?:are|do|is|dont|do not) you (?:ever |not |get |feel |go |a bit |really )*(?:lonely|alone|crazy|mad|` +
    `insane|stir)` +
    `|how do you (?:deal|cope|live|handle|stand) with (?:the )?(?:lonel|being alone|silence|solitude)|` +
    `sentes te so|te sentes (?:sozinh|so$|sola?)|estas sozinha|bist du einsam`,
  bored: `(?:are|do|is|dont) you (?:ever |get |not )*bored|nao te aborreces|te aburres|ist dir langweilig`,
  childhood:
    `(?:your|about) childhood|(?:as|when you were) (?:a )?(?:child|little|young|small)|where did you grow up|grow up ` +
    `like|quando eras (?:pequena|crianca|mais nova)|a tua infancia|tu infancia|de pequena|deine kindheit|als kind`,
  school:
    `(?:did|do) you (?:like|enjoy|go to|hate|finish) school|how is (?:school|uni|class|study|studying)|` +
    `(?:como (?:vai|corre|e)|e|do|no) (?:a escola|o curso|o teu curso|a faculdade|a universidade|os estudos)(?: e|` +
    ` vai| corre|$)|o curso e|curso (?:e )?dificil|is (?:uni|school|college|the course|your course|` +
    `studying) (?:\\w+ )?(?:hard|hardest|difficult|ok|okay|good)|was hast du gelernt|wie lauft die uni`,
  study:
    `what (?:are|do|is) you (?:study|studying|major)|your (?:course|degree|major)|o que (?:e que )?estudas|` +
    `que (?:estas a estudar|curso)|que estudias|was studierst du`,
  favFood:
    `favou?rite (?:food|dish|thing to eat|meal)|what (?:do|is) you (?:like|love) to eat|(?:o que|que) (?:e que )?` +
    `(?:mais )?gostas (?:mais )?de comer|comida (?:favorita|preferida)|lieblingsessen|was isst du (?:gern|am liebsten)`,
  eatToday:
    `what (?:did|do|have|are|will) you (?:eat|have|eating|having|cook|cooking)|what is (?:for|there for) (?:dinner|` +
    `lunch|breakfast|supper)|what (?:do )?you eat|o que (?:e que )?(?:comes|comeste|jantas|jantaste|almocaste)|` +
    `que (?:comes|comiste)|was (?:isst|hast) du (?:gegessen)?`,
  cook: `(?:can|do) you cook|good cook|(?:sabes|gostas de) cozinhar|sabes cocinar|kannst du kochen|kochst du`,
  recipe: `recipe|how (?:do|does|is) (?:you |it |one )?(?:make|made|cook)|is it hard to make|receita|receta|rezept`,
  drink: `(?:do|what do) you (?:drink|like (?:coffee|tea|beer|wine|alcohol))|bebes|trinkst du`,
  colour: `(?:favou?rite|fav) colou?r|cor (?:favorita|preferida)|color favorito|lieblingsfarbe`,
  season: `(?:favou?rite|fav|best) (?:season|time of (?:the )?year|month)|estacao|lieblingsjahreszeit`,
  animal:
    `(?:favou?rite|fav) (?:animal|creature)|(?:do you have|got|have)(?: any| a)? (?:pet|animal)s?|` +
    `tens (?:animais|algum animal|bichos)|(?:animal|bicho|peixe) (?:\\w+ )?(?:favorito|preferido)|(?:favou?rite|` +
    `fav) (?:sea |wild |farm )(?:animal|creature)|tienes mascota|hast du (?:haustiere|tiere)`,
  music:
    `(?:kind|type|sort) of music|do you (?:like|listen to|love) (?:any )?music|(?:are|is) you listening|` +
    `favou?rite (?:song|band|singer|music)|(?:gostas de|que) musica|ouves|musik|musica te gusta`,
  book:
    `(?:favou?rite|fav|last|good) book|(?:what are you|do you) read\\w*|livro|les?es (?:muito|o que)|libro|` +
    `was liest du|lieblingsbuch`,
  film:
    `(?:favou?rite|fav|last|good) (?:film|show|series)|watch (?:tv|film|series|anything|show)|filme|pelicula|` +
    `serie|lieblingsfilm`,
  fun:
    `(?:do you (?:even |guys |all |people )*do|there to do|you do|one do) (?:for fun|in (?:your|the) (?:free|spare|` +
    `evening|dark|winter)|at night|in the evenings?|on weekends?|when you (?:are|is) (?:not work|bored|alone|free))|` +
    `for fun|your (?:hobb|free time|spare time|evenings)|hobb(?:y|ies)|passatempos|tempos livres|nas horas vagas|` +
    `tiempo libre|freizeit|hobbys`,
  party: `part(?:y|ies)(?: go| there| like)?|nightlife|go out(?: much)?|sais a noite|festas|fiestas|gehst du feiern`,
  weekend: `(?:your )?weekend|fim de semana|fin de semana|wochenende`,
  now:
    `what (?:are|is) you (?:up to|doing)(?: right now| now| at the moment| tonight)?$|what is (?:up|good|new|` +
    `happening|` +
    `going on)|wyd|sup$|o que (?:e que )?(?:estas a fazer|ta fazendo|fazes agora)|que (?:estas haciendo|haces ahora)|` +
    `was machst du (?:gerade|grad)`,
  today:
    `what did you do (?:today|yesterday)|how (?:was|is) your (?:day|evening|night|morning)|como (?:foi|correu) o ` +
    `(?:teu|seu) dia|que (?:fizeste|hiciste) hoy|o que fizeste hoje|como fue tu dia|wie war dein tag`,
  plans:
    `(?:your )?plans? (?:for )?(?:tomorrow|tonight|today|later)|doing (?:tonight|tomorrow|later)|o que fazes ` +
    `(?:hoje|amanha)|que haces (?:hoy|manana)|was machst du (?:heute abend|morgen)`,
  future:
    `(?:when|after|once) you (?:finish|graduate|are done|retire|stop)|in (?:five|ten) years|the future|` +
    `what (?:do|will) ` +
    `you (?:want to )?(?:do|be) (?:after|later|next|when)|quando acabares|depois do curso|no futuro|cuando acabes|` +
    `en el futuro|wenn du fertig bist|in zukunft`,
  dream:
    `(?:your|biggest|a) (?:dream|wish|goal)s?\\b|what do you (?:really )?(?:want|wish|hope) (?:for|from|to|in)|` +
    `do you ` +
    `have (?:dreams|goals)|(?:teu|seu|maior) sonho|tu sueno|dein traum|was wunschst du`,
  fear:
    `(?:are|is|what|do) ${GAP}(?:you )?(?:most )?(?:afraid|terrif\\w*|fear\\w*|worr\\w+)(?: of| about)?|` +
    `(?:tens|do que tens) (?:medo|receio)|tienes miedo|de que tienes miedo|hast du angst|wovor hast du`,
  regret:
    `regret|do differently|biggest mistake|change (?:anything|one thing|about your life)|arrepend|arrepient|` +
    `bereust`,
  proud: `proud|orgulh|orgull|stolz|biggest achievement`,
  happy:
    `(?:what|where) ${GAP}(?:makes|make) you (?:\\w+ )?happy|(?:are|is) you (?:\\w+ )?happy|happiest|o que te faz ` +
    `feliz|es feliz|eres feliz|bist du glucklich`,
  sad:
    `(?:what|when) ${GAP}(?:makes|make) you (?:\\w+ )?(?:sad|cry)|(?:are|is) you (?:\\w+ )?sad|last (?:time you )?` +
    `cr(?:y|ied)|o que te (?:faz|deixa) triste|estas triste|bist du traurig`,
  angry:
    `(?:what|do|when) ${GAP}you (?:\\w+ )?(?:angry|mad|annoy\\w*|furious)|pet peeve|que te irrita|te enfada|` +
    `macht dich wutend`,
  strangest:
    `(?:strangest|weirdest|wildest|craziest|oddest) (?:thing|story|night|day)|coisa mais (?:estranha|maluca)|` +
    `cosa mas ` +
    `rara|das (?:seltsamste|verruckteste)`,
  sea:
    `(?:like|love|afraid of|hear|think of|about) the (?:sea|ocean|water|waves)|sea (?:sound|look|like)|do mar|el mar|` +
    `das meer`,
  missHome:
    `(?:do|what) (?:do )?you (?:\\w+ )?miss(?: (?:home|the most|most|portugal|your (?:family|mother|home)|` +
    `from home))?` +
    `$|would you miss|homesick|(?:tens|muitas) saudades|echas de menos|vermisst du|heimweh`,
  leave:
    `(?:would|do|will|could|have) you (?:ever )?(?:\\w+ ){0,3}?(?:leave|leaving|move|moving|quit|go (?:back )?home|` +
    `give it up|go home|stop)|voltavas|(?:vais|queres|pensas|gostavas|tencionas|gostarias)(?: de| em)? voltar|` +
    `volverias|willst du (?:zuruck|weg)|wurdest du weg`,
  city: `(?:like|think about|think of|live in|move to|moving to) (?:a |the )?(?:city|cities|big city|town)`,
  travel: `(?:have you|do you|ever) (?:\\w+ )?(?:travel|been (?:to|abroad)|visit)\\w*|viajas|reisen|reist`,
  language: `(?:do|can|what|which|how many|other) ${GAP}(?:speak|language)s?|falas (?:\\w+ )?|hablas|sprichst du`,
  looks:
    `what do you look like|how (?:tall|do you look)|your (?:hair|eyes|face|height)|como es(?: fisicamente)?$|como ` +
    `te pareces|wie siehst du aus`,
  wearing: `(?:are|is) you wearing|o que (?:e que )?(?:tens vestido|vestes)|was hast du an`,
  god: `(?:believe in|about) (?:a |any )?god|religio\\w*|deus|dios|gott`,
  ghosts: `ghosts?|haunted|fantasmas|gespenster|geister`,
  fate: `fate|destiny|luck|destino|schicksal`,
  afterlife:
    `(?:after|when) (?:we|you|people) die|afterlife|think (?:about|of) death|afraid of (?:dying|death)|morte|` +
    `muerte|nach dem tod`,
  people:
    `(?:think (?:about|of)|believe|about) (?:\\w+ )?people(?: are)?(?: \\w+)?(?: good| bad)?|are people|` +
    `as pessoas|la gente|die menschen`,
  politics: `politics|government|president|politica|politik`,
  money:
    `money|million|rich\\b|salary|earn|pays? you|(?:do|are) you (?:get )?(?:pay|paid)|well paid|` +
    `ganhas (?:bem|muito)|dinheiro|dinero|geld`,
  phones: `phones?|internet|technology|social media|telemovel|movil|handy`,
  loveOpinion: `think (?:about|of) love|what is love|believe in love|o amor|el amor|die liebe`,
  meaning: `meaning of life|point of (?:it all|life)|sentido da vida|sentido de la vida|sinn des lebens`,
  secretHappiness: `secret (?:to|of) (?:happiness|a good life|life)|how to be happy`,
  secret:
    `(?:tell|share|have|know) ${GAP}secrets?|nobody knows about you|guilty pleasure|(?:um|teu) segredo|un secreto|` +
    `ein geheimnis`,
  interesting:
    `(?:something|anything|fact) (?:interesting|cool|fun|new|weird)|fun fact|curiosidade|algo interesante|` +
    `was interessantes`,
  prison:
    `(?:go|been|went|sent|end up|time) (?:to|in) (?:prison|jail)|behind bars|do time|prison like|` +
    `how long (?:were|are|is|did) you (?:in|get)(?: prison| jail| inside)?$`,
  arrest:
    `(?:get|got|ever|be|been|were|are|did|do|they) ${GAP}(?:catch|arrest\\w*)(?: you| for)?|catch you|` +
    `how did they (?:find|get) you`,
  whale: `(?:see|spot|watch) ${GAP}(?:whale|orca)s?|(?:viste|ves|vistes|avistaste) ${GAP}(?:baleia|orca)s?`,
  storm:
    `(?:big|bad|worst|see|been in|scary|afraid of|during|through) ${GAP}storms?|storm ${GAP}(?:like|scary|` +
    `afraid|bad)`,
  needed: `(?:need|needs|use|point|care) ${GAP}lighthouses?|lighthouses? ${GAP}(?:need|useful|useless|obsolete|point)`,
  teach: `teach me|(?:show|learn) me (?:something|how)|ensina me|ensename|bring mir`,
  habit: `(?:bad|worst|annoying|weird) habits?|vicio|manias?$|mala costumbre|schlechte angewohnheit`,
  smell: `smells?|scent|cheiro|olor|geruch`,
  hero: `hero|role model|look up to|admire|idolo|vorbild`,
  younger: `younger self|(?:advice|say) to (?:your )?young`,
  bestAdvice: `best advice|advice you (?:ever )?(?:got|get|receive)`,
  likeMe:
    `(?:do|would) you (?:\\w+ )?(?:like|love|miss|remember) me|think of me|are we friends|can we be friends|gostas ` +
    `de mim|te caigo bien|magst du mich`,
  trust: `(?:do you|why should|can) ${GAP}trust (?:you|me|anyone)|trust`,
  lied: `(?:ever|do you) (?:\\w+ )?(?:lie|lied|steal|cheat)|mentes|mentiste|lugst du`,
  hurt: `(?:ever|did you|have you) ${GAP}(?:hurt|harm) (?:anyone|anybody|someone|people|somebody)`,
  sorry: `(?:do|are|did|even) ${GAP}(?:feel )?(?:sorry|guilt\\w*|remorse|ashamed)`,
  forgiven: `forgiv\\w+|second chance`,
  whyStopped: `why did you (?:stop|quit|change|give)`,
  firstJob: `first (?:job|heist|burglary|house|time|break in|lock|day)`,
  sleep: `(?:how|did|do) ${GAP}(?:you )?sleep|dormiste|schlafst du|hast du geschlafen`,
  sleepTips: `(?:tips?|how|trick|help) ${GAP}(?:awake|stay up|sleep|insomnia)`,
  view:
    `(?:see|view) ${GAP}(?:window|right now|from (?:there|where))|your (?:window|view)|ves da janela|` +
    `aus deinem fenster`,
  hear: `(?:hear|sound|listen) ${GAP}(?:right now|like|there|at night)`,
  night: `(?:like )?at night|nights? (?:there|like)|polar night|noite polar|nachts`,
  winter: `(?:in|handle|survive|the|get through|about) (?:the )?winters?|inverno|invierno|winter`,
  visitors: `visit(?:or|ors|s)?\\b|guests|visitas|besuch`,
  misconception: `(?:get|people) wrong|misconception|misunderst\\w+|myth|stereotype`,
  laugh: `makes? you laugh|faz rir|hace reir|bringt dich zum lachen`,
  word: `favou?rite word|palavra (?:favorita|em|portuguesa)|palabra favorita|lieblingswort`,
  superpower: `superpower|super power|superpoder`,
  children2: `like children|like (?:small )?child|gostas de criancas`,
  howAre:
    `how (?:are|is|r) (?:you|things|it going|life|everything)(?: doing| feeling| today| been)*$|(?:are|r) you (?:ok|` +
    `okay|alright|well)$|how you (?:been|doing)|tudo bem|como (?:estas|esta|vai|vais|andas)$|que tal$|` +
    `wie geht(?: es| s)?(?: dir)?|como te sientes`,
  learned: `what (?:did|have) you learn|(?:biggest|most important) lesson|prison (?:change|teach)|aprendeste`,
  worst: `worst thing (?:that|you|to)|worst (?:day|moment|night) of|o pior`,
  best: `best thing (?:that|about|in|you)|best (?:day|moment|night|memory) of|a melhor coisa|lo mejor`
}
