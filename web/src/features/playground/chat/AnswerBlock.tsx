import { Typography } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import Markdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { MathView } from '../../../components/content/MathView.tsx';
import { formulaIn, withMathMarks } from '../../../components/content/math-marks.ts';
import { RemoteImage } from '../../../components/content/RemoteImage.tsx';
import { CopyButton } from '../../../components/display/copy.tsx';
import classes from '../Playground.module.css';
import { codePieces } from './highlight.ts';

interface AnswerBlockProps {
  readonly text: string;
  /** Code is highlighted once it is complete. */
  readonly isComplete: boolean;
}

export function AnswerBlock({ text, isComplete }: AnswerBlockProps) {
  return (
    <Typography className={classes.markdown}>
      <Markdown
        remarkPlugins={[remarkGfm]}
        components={{
          a: ({ href, children }) => (
            <a href={href} target="_blank" rel="noopener noreferrer">
              {children}
            </a>
          ),
          img: ({ src, alt }) => <RemoteImage address={src} text={alt} />,
          pre: ({ children }) => <>{children}</>,
          code: ({ className = '', children }) => (
            <Code className={className} isComplete={isComplete}>
              {children}
            </Code>
          ),
        }}
      >
        {withMathMarks(text)}
      </Markdown>
    </Typography>
  );
}

interface CodeProps {
  readonly className: string;
  readonly isComplete: boolean;
  readonly children: ReactNode;
}

/** A block if it has a language or line breaks, else inline code. */
function Code({ className, isComplete, children }: CodeProps) {
  const { t } = useTranslation();
  const code = String(children ?? '');
  const formula = formulaIn(code, className);
  if (formula !== undefined) return <MathView {...formula} />;
  const language = /language-(\S+)/.exec(className)?.[1] ?? '';
  if (language === '' && !code.endsWith('\n')) return <code>{children}</code>;
  const text = code.replace(/\n$/, '');
  return (
    <div className={classes.codeBlock}>
      <div className={classes.codeHead}>
        <span>{language}</span>
        <CopyButton text={text} label={t('playground.copyCode')} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable elements must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{isComplete ? <Coloured code={text} language={language} /> : text}</code>
      </pre>
    </div>
  );
}

function Coloured({ code, language }: { readonly code: string; readonly language: string }) {
  return codePieces(code, language).map(({ kind, text }, index) => (
    <span key={`${index} ${kind}`} data-kind={kind}>
      {text}
    </span>
  ));
}
