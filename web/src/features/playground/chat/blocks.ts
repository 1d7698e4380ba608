/**
 * A growing answer split at empty lines outside code, so that each frame parses only its last
 * block. The blocks joined are the whole text.
 */
export function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let block = '';
  let fence = '';
  for (const line of text.split(/(?<=\n)/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    if (fence === '') fence = mark;
    else if (mark.startsWith(fence) && line.trim() === mark) fence = '';
    block += line;
    if (fence === '' && line.trim() === '' && block.trim() !== '') {
      blocks.push(block);
      block = '';
    }
  }
  return block === '' ? blocks : [...blocks, block];
}
