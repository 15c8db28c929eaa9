const en = {
  'spec.reference.path':
    'Reference refused by check 1 (path): "{path}" breaks the rule {rule}. Give a file inside the repository, outside docs of Baton, memory and .git.',
  'spec.reference.extension':
    'Reference refused by check 2 (unsupported reference extension): "{path}". Allowed: {allowed}.',
  'spec.reference.link':
    'Reference refused by check 3 (link): "{path}" is a symbolic link. Name the file itself.',
  'spec.reference.linked_parent':
    'Reference refused by check 4 (linked folder): "{path}" lies behind a linked folder. Name a path without links.',
  'spec.reference.too_large':
    'Reference refused by check 5 (reference file too large): "{path}" has {found} {unit, select, bytes {bytes} other {lines}}, {limit} are allowed.',
  'spec.reference.missing': 'Reference refused: "{path}" does not exist. Nothing is used in its place.',
  'spec.reference.unreadable': 'Reference refused: "{path}" cannot be read. Check its permissions.',
  'spec.reference.not_a_file': 'Reference refused: "{path}" is not a plain file.',
  'spec.reference.not_text': 'Reference refused: "{path}" is not UTF-8 text.',
  'spec.reference.replaced':
    'Reference refused: "{path}" is no longer the file the run was started with. Put it back, then resume.',
  'spec.candidate.link': '{path} was passed over: it is a symbolic link.',
  'spec.candidate.linked_parent': '{path} was passed over: it lies behind a linked folder.',
  'spec.candidate.outside': '{path} was passed over: it lies outside of the folder.',
  'spec.candidate.foreign_folder': '{path} was passed over: it lies in a folder of tools or foreign code.',
  'spec.candidate.too_short': '{path} was passed over: {found} lines, at least {limit} are needed.',
  'spec.candidate.too_large':
    '{path} was passed over: {found} {unit, select, bytes {bytes} other {lines}}, {limit} are allowed.',
  'spec.candidate.missing': '{path} was passed over: it is gone.',
  'spec.candidate.unreadable': '{path} was passed over: it cannot be read.',
  'spec.candidate.not_a_file': '{path} was passed over: it is not a plain file.',
  'spec.candidate.not_text': '{path} was passed over: it is not UTF-8 text.',
  'spec.candidate.replaced': '{path} was passed over: it changed while it was read.',
} as const;

const ko = {
  'spec.reference.path':
    '참고 파일을 거절했습니다. 검사 1(경로): "{path}"은(는) {rule} 규칙에 어긋납니다. 저장소 안에 있고 Baton 문서, memory, .git 밖에 있는 파일을 적어 주세요.',
  'spec.reference.extension':
    '참고 파일을 거절했습니다. 검사 2(지원하지 않는 확장자): "{path}". 쓸 수 있는 확장자: {allowed}.',
  'spec.reference.link':
    '참고 파일을 거절했습니다. 검사 3(링크): "{path}"은(는) 심볼릭 링크입니다. 실제 파일을 적어 주세요.',
  'spec.reference.linked_parent':
    '참고 파일을 거절했습니다. 검사 4(링크된 폴더): "{path}"은(는) 링크된 폴더 안에 있습니다. 링크가 없는 경로를 적어 주세요.',
  'spec.reference.too_large':
    '참고 파일을 거절했습니다. 검사 5(파일이 너무 큼): "{path}"은(는) {found}{unit, select, bytes {바이트} other {줄}}입니다. 한도는 {limit}입니다.',
  'spec.reference.missing':
    '참고 파일을 거절했습니다. "{path}"이(가) 없습니다. 다른 것으로 대신하지 않습니다.',
  'spec.reference.unreadable':
    '참고 파일을 거절했습니다. "{path}"을(를) 읽을 수 없습니다. 권한을 확인해 주세요.',
  'spec.reference.not_a_file': '참고 파일을 거절했습니다. "{path}"은(는) 일반 파일이 아닙니다.',
  'spec.reference.not_text': '참고 파일을 거절했습니다. "{path}"은(는) UTF-8 텍스트가 아닙니다.',
  'spec.reference.replaced':
    '참고 파일을 거절했습니다. "{path}"이(가) 시작할 때의 파일과 다릅니다. 되돌린 뒤 다시 시작해 주세요.',
  'spec.candidate.link': '{path}: 심볼릭 링크라서 쓰지 않았습니다.',
  'spec.candidate.linked_parent': '{path}: 링크된 폴더 안에 있어 쓰지 않았습니다.',
  'spec.candidate.outside': '{path}: 폴더 밖에 있어 쓰지 않았습니다.',
  'spec.candidate.foreign_folder': '{path}: 도구나 외부 코드의 폴더에 있어 쓰지 않았습니다.',
  'spec.candidate.too_short': '{path}: {found}줄뿐이라 쓰지 않았습니다. {limit}줄 이상이어야 합니다.',
  'spec.candidate.too_large':
    '{path}: {found}{unit, select, bytes {바이트} other {줄}}라서 쓰지 않았습니다. 한도는 {limit}입니다.',
  'spec.candidate.missing': '{path}: 사라져서 쓰지 않았습니다.',
  'spec.candidate.unreadable': '{path}: 읽을 수 없어 쓰지 않았습니다.',
  'spec.candidate.not_a_file': '{path}: 일반 파일이 아니라서 쓰지 않았습니다.',
  'spec.candidate.not_text': '{path}: UTF-8 텍스트가 아니라서 쓰지 않았습니다.',
  'spec.candidate.replaced': '{path}: 읽는 동안 바뀌어 쓰지 않았습니다.',
} as const satisfies Record<keyof typeof en, string>;

/** What is said about a file that is not taken. The ids and arguments come from the look that refused it. */
export const fileMessages = { en, ko };
