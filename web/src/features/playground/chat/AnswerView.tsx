import { lazy, memo, Suspense } from 'react';
import classes from '../Playground.module.css';
import { blocksOf } from './blocks.ts';

const AnswerBlock = lazy(async () => ({
  default: (await import('./AnswerBlock.tsx')).AnswerBlock,
}));
const Block = memo(AnswerBlock);

interface AnswerViewProps {
  readonly text: string;
  readonly isComplete: boolean;
}

/** An answer's Markdown. While it grows, only its last paragraph re-renders. */
export function AnswerView({ text, isComplete }: AnswerViewProps) {
  if (text === '') return null;
  const blocks = isComplete ? [text] : blocksOf(text);
  return (
    <Suspense fallback={<div className={classes.text}>{text}</div>}>
      {blocks.map((block, index) => (
        <Block
          key={`${isComplete} ${index}`}
          text={block}
          isComplete={isComplete || index < blocks.length - 1}
        />
      ))}
    </Suspense>
  );
}
