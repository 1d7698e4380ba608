/**
 * A growing answer cut at empty lines outside of code, so that only its last piece is read again
 * with every frame. Joined they are the whole text.
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
