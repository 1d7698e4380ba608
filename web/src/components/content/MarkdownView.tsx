import { lazy, Suspense } from 'react';
import { Loading } from '../layout/list-states.tsx';

const MarkdownBody = lazy(async () => ({
  default: (await import('./MarkdownBody.tsx')).MarkdownBody,
}));

/** Markdown with tables and task lists; HTML in it is shown as text. Links open in a new tab. */
export function MarkdownView({ text }: { readonly text: string }) {
  return (
    <Suspense fallback={<Loading lines={4} />}>
      <MarkdownBody text={text} />
    </Suspense>
  );
}
