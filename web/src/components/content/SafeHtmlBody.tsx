import { Typography } from '@mantine/core';
import DOMPurify from 'dompurify';
import { useMemo } from 'react';
import classes from './content.module.css';
import { withoutHandlers } from './without-handlers.ts';

const purifier = DOMPurify(window);
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node.nodeName !== 'A') return;
  node.setAttribute('target', '_blank');
  node.setAttribute('rel', 'noopener noreferrer');
});

const RULES = {
  // A style sheet or fixed element would affect the page outside the container.
  FORBID_TAGS: ['style', 'form', 'input', 'button', 'textarea', 'select', 'iframe'],
  FORBID_ATTR: ['style', 'id', 'name', 'class'],
};

interface SafeHtmlBodyProps {
  readonly html: string;
  readonly isInline?: boolean;
}

export function SafeHtmlBody({ html, isInline = false }: SafeHtmlBodyProps) {
  const clean = useMemo(() => purifier.sanitize(withoutHandlers(html), RULES), [html]);
  const content = { dangerouslySetInnerHTML: { __html: clean } };
  if (isInline) return <span {...content} />;
  return (
    <Typography className={classes.content}>
      <div {...content} />
    </Typography>
  );
}
