import type { Lang } from '../contract/lang.ts';
import type { RiskClass } from '../contract/ticket.ts';

/**
 * Risk words of one language per class: the name of the word, and its pattern. A blank matches nothing, blanks,
 * dashes or Markdown symbols. `…` matches up to three words. Words are stems with their endings, never a bare prefix
 * such as `author`. In doubt a word is listed, because a needless pause costs less than a missed one.
 */
type RiskList = Readonly<Record<RiskClass, Readonly<Record<string, string>>>>;

const deletes = 'delet(?:e[sd]?|ing|ions?)';
const drops = 'drop(?:s|ped|ping)?';
const removes = 'remov(?:e[sd]?|ing|als?)';
const people = 'users?|accounts?|customers?|members?';
const stored = 'records?|rows?|data|databases?|tables?|files?|backups?|archives?|orders?|histor(?:y|ies)';

const en: RiskList = {
  auth: {
    auth: 'auth',
    authn: 'authn',
    authz: 'authz',
    authentication: 'authenticat(?:e[sd]?|ing|ions?|ors?)',
    authorization: '(?:un|re|de|pre)?authori[sz](?:e[sdr]?|ing|ations?)',
    oauth: 'oauth',
    'log in': '(?:log ins?|logged in|logging in|logons?)',
    logout: '(?:log outs?|logged out|logging out)',
    'sign in': '(?:sign ins?|signed in|signing in|single sign on)',
    'sign out': '(?:sign outs?|signed out|signing out)',
    session: 'sessions?',
    password: '(?:passwords?|passphrases?|passcodes?|passkeys?)',
    credential: 'credentials?',
    rls: 'rls',
    'row level security': 'row level security',
    permission: 'permissions?',
    privilege: 'privileges?',
    role: 'roles?',
    'access policy': 'access polic(?:y|ies)',
    'access control': '(?:access controls?|access rights?|acls?|rbac)',
    secret: 'secrets?',
    jwt: 'jwts?',
    'sign-on protocol': '(?:sso|saml|oidc|mfa|2fa|two factor)',
    key: '(?:api|private|signing|encryption|ssh) keys?',
    impersonation: 'impersonat(?:e[sd]?|ing|ions?)',
  },
  'data-migration': {
    migration: 'migrat(?:e[sd]?|ing|ions?|ors?)',
    schema: 'schema(?:s|ta)?',
    'alter table': 'alter(?:s|ed|ing)? … tables?',
    'add column': 'add(?:s|ed|ing)? … columns?',
    'drop column': `${drops} … columns?`,
    'change column': `(?:alter|chang|convert|modif|split|merg|${removes}|${deletes})\\p{L}* … columns?`,
    'rename column': 'renam(?:e[sd]?|ing) … (?:columns?|tables?|databases?)',
    'column type': 'column types?',
    backfill: 'back fill(?:s|ed|ing)?',
  },
  'irreversible-destructive': {
    'drop table': `${drops} … tables?`,
    'drop column': `${drops} … columns?`,
    'drop database': `${drops} … databases?`,
    'drop schema': `${drops} … schemas?`,
    'drop index': `${drops} … ind(?:ex|exes|ices)`,
    'drop constraint': `${drops} … constraints?`,
    'delete from': `${deletes} from`,
    'delete all': `${deletes} … (?:all|every|everything|${people}|${stored})`,
    'remove all': `${removes} … (?:all|every|everything) … (?:${people}|${stored})`,
    'remove data': `${removes} … (?:${people}|records?|databases?|tables?|backups?)`,
    truncate: 'truncat(?:e[sd]?|ing|ions?)',
    irreversible: 'irreversibl[ey]',
    'hard delete': `hard ${deletes}`,
    purge: 'purg(?:e[sdr]?|ing)',
    wipe: 'wip(?:e[sd]?|ing)',
    erase: 'eras(?:e[sd]?|ing|ures?)',
    destroy: 'destroy(?:s|ed|ing)?',
    destructive: 'destruct(?:ive|ively|ion)',
    unrecoverable: '(?:un|ir)recoverabl[ey]',
    'permanently delete': `permanent(?:ly)? … ${deletes}`,
    'permanently remove': `permanent(?:ly)? … ${removes}`,
    'permanently destroy': 'permanent(?:ly)? … destroy(?:s|ed|ing)?',
    'reset data': '(?:reset|clear)(?:s|ing|ed)? … (?:databases?|tables?|all data)',
    'force push': 'force push(?:es|ed|ing)?',
  },
  'shared-core': { 'shared core': 'shared core' },
};

/** One or two Korean particles after a noun. */
const josa = String.raw`\p{Script=Hangul}{0,3}`;
const koErases = '(?:삭제|제거|지우|지운|지워|지움|파기|폐기|말소|비우|비워|초기화)';

const ko: RiskList = {
  auth: {
    로그인: '(?:로그인|로그온|사인 인)',
    로그아웃: '(?:로그아웃|로그오프)',
    비밀번호: '(?:비밀 번호|패스워드|패스 키|암호)',
    인증: '(?:인증|인가 (?:처리|서버|코드|정책|로직|요청))',
    권한: '(?:권한|접근 제어|접근 통제|액세스 제어)',
    역할: '역할',
    세션: '세션',
    토큰: '토큰',
    '자격 증명': '(?:자격 증명|크리덴셜|시크릿|비밀 키|개인 키|API 키|보안 키)',
  },
  'data-migration': {
    마이그레이션: '(?:마이그레이션|이관|데이터 이전|데이터 이행)',
    스키마: '스키마',
    백필: '(?:백필|소급 (?:적용|입력))',
    '컬럼 변경': `(?:컬럼|칼럼)${josa} … (?:추가|변경|삭제|제거|수정|이름)`,
    '테이블 변경': `테이블${josa} … (?:변경|이름|분리|통합|병합)`,
  },
  'irreversible-destructive': {
    '데이터 삭제': `(?:전체|모든|모두|전부|일괄|영구|완전|데이터|사용자|회원|계정|고객|기록|이력|내역|테이블|컬럼|칼럼|DB|백업|로그|주문|보관함|아카이브)${josa} … ${koErases}`,
    '영구 삭제': '(?:하드 삭제|영구 삭제|파기|말소)',
    '되돌릴 수 없음': '(?:되돌릴 수 없|돌이킬 수 없|복구할 수 없|복구 불가|비가역)',
    파괴적: '파괴적',
    '테이블 드롭': `테이블${josa} … (?:드롭|DROP)`,
  },
  'shared-core': { '공유 코어': '(?:공유|공통|공용) 코어' },
};

/** Within one clause. Japanese and Chinese have no blanks that separate words. */
const near = String.raw`[^。、，；,.;\n]{0,12}`;

const ja: RiskList = {
  auth: {
    ログイン: '(?:ログイン|ログオン|サインイン)',
    ログアウト: '(?:ログアウト|サインアウト)',
    パスワード: '(?:パスワード|パスキー|暗証番号)',
    認証: '(?:認証|認可)',
    権限: '(?:権限|アクセス制御|アクセス許可)',
    ロール: String.raw`(?:(?<!\p{Script=Katakana})ロール(?!\p{Script=Katakana})|役割)`,
    セッション: 'セッション',
    トークン: 'トークン',
    資格情報: '(?:資格情報|シークレット|秘密鍵)',
  },
  'data-migration': {
    移行: '(?:移行|マイグレーション)',
    スキーマ: 'スキーマ',
    バックフィル: 'バックフィル',
    カラム変更: `(?:カラム|列|テーブル)${near}(?:追加|変更|削除|改名)`,
  },
  'irreversible-destructive': {
    データ削除: `(?:全|すべて|一括|データ|ユーザー|会員|アカウント|顧客|履歴|テーブル|カラム|バックアップ|ログ|注文|アーカイブ)${near}(?:削除|消去|破棄|初期化)`,
    完全削除: '(?:完全に?削除|物理削除|永久に?削除|抹消)',
    元に戻せない: '(?:元に戻せ|取り消せな|不可逆|復元でき|復元不可)',
    破壊的: '破壊的',
  },
  'shared-core': { 共有コア: '共有コア' },
};

const zh: RiskList = {
  auth: {
    登录: '(?:登录|登錄|登入)',
    登出: '(?:登出|退出登录|注销)',
    密码: '(?:密码|密碼|口令)',
    认证: '(?:认证|認證|身份验证|鉴权)',
    授权: '(?:授权|授權)',
    权限: '(?:权限|權限|访问控制|存取控制)',
    角色: '角色',
    会话: '(?:会话|會話)',
    令牌: '令牌',
    凭证: '(?:凭证|凭据|憑證|密钥|金鑰)',
  },
  'data-migration': {
    迁移: '(?:迁移|遷移)',
    表结构: '(?:表结构|表結構|数据库架构|数据库结构)',
    回填: '回填',
    修改列: '(?:添加|新增|增加|修改|删除|刪除|重命名)[^。，；,.;\\n]{0,12}(?:列|字段|欄位|数据表)',
  },
  'irreversible-destructive': {
    删除数据:
      '(?:删除|刪除|清除|移除)[^。，；,.;\\n]{0,12}(?:所有|全部|用户|用戶|账户|帳戶|客户|数据|資料|记录|历史|表|备份|日志|订单|归档)',
    清空: '(?:清空|抹除|销毁|擦除|截断)',
    永久删除: '(?:永久(?:删除|刪除)|彻底删除|物理删除)',
    不可逆: '(?:不可逆|不可恢复|无法恢复|無法復原|不可撤销)',
    破坏性: '破坏性',
  },
  'shared-core': { 共享核心: '(?:共享|公共)核心' },
};

const es: RiskList = {
  auth: {
    sesión: 'sesi(?:ón|ones)',
    contraseña: '(?:contraseñas?|claves? secretas?|secretos?)',
    autenticación: 'autentic\\p{L}+',
    autorización: 'autori[zc]\\p{L}+',
    credencial: 'credencial(?:es)?',
    permiso: '(?:permisos?|control de acceso|privilegios?)',
    rol: 'rol',
  },
  'data-migration': {
    migración: 'migra(?:r|ción|ciones|mos|do|da|n)?',
    esquema: 'esquemas?',
    columna:
      '(?:agreg|añad|elimin|borr|modific|cambi|renombr)\\p{L}* … (?:columnas?|tablas?|bases? de datos)',
  },
  'irreversible-destructive': {
    eliminar:
      '(?:elimin|borr|suprim|vaci|limpi)\\p{L}* … (?:tod[oa]s?|usuarios?|cuentas?|clientes?|datos|registros?|tablas?|archivos?|copias?|historial|pedidos?)',
    purgar: '(?:purga[rn]|purgado|truncar|truncado|destru[iy]\\p{L}+)',
    irreversible: '(?:irreversibles|irrecuperabl\\p{L}+|permanentemente|definitivamente)',
  },
  'shared-core': { 'núcleo compartido': 'núcleo compartido' },
};

const de: RiskList = {
  auth: {
    anmelden: '(?:anmeld|abmeld|einlogg|auslogg)\\p{L}*',
    Passwort: '\\p{L}*(?:passw(?:ort|örter)|kennw(?:ort|örter))\\p{L}*',
    Authentifizierung: '(?:authentifizier|authentisier)\\p{L}*',
    Autorisierung: 'autorisier\\p{L}*',
    Berechtigung: '(?:\\p{L}*berechtigung|zugriffs|zugangs)\\p{L}*',
    Rolle: '(?:benutzer)?rollen?',
    Sitzung: 'sitzung\\p{L}*',
    Schlüssel: '(?:geheimnis|geheime|(?:api|private)\\p{L}* schlüssel)\\p{L}*',
  },
  'data-migration': {
    migrieren: '(?:\\p{L}*migrier|datenmigration)\\p{L}*',
    Schema: 'daten(?:bank)?schema(?:s|ta)?',
    Spalte: 'spalten? … (?:hinzufüg|änder|umbenenn|entfern|lösch)\\p{L}*',
    Tabelle: 'tabellen? … (?:änder|umbenenn|entfern|zusammenführ)\\p{L}*',
  },
  'irreversible-destructive': {
    löschen:
      '(?:alle\\p{L}*|nutzer|benutzer|kunden|konten|daten|datensätze|tabellen?|dateien|sicherungen|verlauf|archiv\\p{L}*) … (?:ge)?lösch\\p{L}*',
    lösche:
      'lösch\\p{L}* … (?:alle\\p{L}*|nutzer|benutzer|kunden|konten|daten\\p{L}*|tabellen?|archiv\\p{L}*)',
    vernichten: '(?:vernicht|zerstör|überschreib)\\p{L}*',
    unwiderruflich: '(?:unwiderruflich|unumkehrbar|endgültig|unwiederbringlich)\\p{L}*',
  },
  'shared-core': { 'gemeinsamer Kern': 'gemeinsame[rn]? kern' },
};

/**
 * One list per language of the registry. A language without a list does not compile (CON-117). All lists are checked
 * against every text, whatever its language.
 */
export const RISK_LISTS: Readonly<Record<Lang, RiskList>> = { en, ko, ja, zh, es, de };
