import { json, jsonParseLinter } from '@codemirror/lang-json';
import { syntaxHighlighting } from '@codemirror/language';
import { linter, lintGutter } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import { basicSetup } from 'codemirror';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './CodeArea.module.css';

const LINE_PX = 18;

/** The code editor for one JSON text. */
export function CodeArea({ id, label, value, onChange, rows, isReadOnly, isInvalid }: AreaProps) {
  const { t } = useTranslation();
  const container = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const first = useRef(value);
  const changed = useEffectEvent(onChange);

  useEffect(() => {
    if (container.current === null) return;
    const editor = new EditorView({
      parent: container.current,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          basicSetup,
          json(),
          // By class names, so that it uses the theme's colours.
          syntaxHighlighting(classHighlighter),
          linter((shown) =>
            shown.state.doc.toString().trim() === '' ? [] : jsonParseLinter()(shown),
          ),
          lintGutter(),
          EditorState.phrases.of({
            'Fold line': t('part.editor.fold'),
            'Unfold line': t('part.editor.unfold'),
            unfold: t('part.editor.unfold'),
            'folded code': t('part.editor.folded'),
          }),
          EditorView.lineWrapping,
          EditorState.readOnly.of(isReadOnly),
          EditorView.contentAttributes.of({ id, 'aria-label': label, tabindex: '0' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => {
      first.current = editor.state.doc.toString();
      editor.destroy();
    };
  }, [id, label, isReadOnly, t]);

  useEffect(() => {
    view.current?.contentDOM.setAttribute('aria-invalid', String(isInvalid));
  });

  // Applies text set from outside: Format, Insert template or a reset.
  useEffect(() => {
    const editor = view.current;
    if (editor === null || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  return (
    <div
      ref={container}
      className={classes.area}
      data-invalid={isInvalid || undefined}
      style={{ height: `${rows * LINE_PX + 16}px` }}
    />
  );
}

export interface AreaProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly rows: number;
  readonly isReadOnly: boolean;
  readonly isInvalid: boolean;
}
