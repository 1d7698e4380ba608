import { Typography } from '@mantine/core';
import Markdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import classes from './content.module.css';
import { MathView } from './MathView.tsx';
import { formulaIn, withMathMarks } from './math-marks.ts';
import { RemoteImage } from './RemoteImage.tsx';

export function MarkdownBody({ text }: { readonly text: string }) {
  return (
    <Typography className={classes.content}>
      <Markdown
        remarkPlugins={[remarkGfm]}
        components={{
          a: ({ href, children }) => (
            <a href={href} target="_blank" rel="noopener noreferrer">
              {children}
            </a>
          ),
          img: ({ src, alt }) => <RemoteImage address={src} text={alt} />,
          code: ({ className, children }) => {
            const formula = formulaIn(String(children ?? ''), className);
            if (formula !== undefined) return <MathView {...formula} />;
            return <code className={className}>{children}</code>;
          },
          // Scrollable elements must be reachable by keyboard.
          pre: ({ children }) => (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll
            <pre tabIndex={0}>{children}</pre>
          ),
        }}
      >
        {withMathMarks(text)}
      </Markdown>
    </Typography>
  );
}
