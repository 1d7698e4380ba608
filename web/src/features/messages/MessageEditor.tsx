import { Group, Input, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import {
  type Icon,
  IconBold,
  IconCode,
  IconHeading,
  IconItalic,
  IconLink,
  IconList,
} from '@tabler/icons-react';
import { type ReactNode, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { MarkdownView } from '../../components/content/MarkdownView.tsx';
import { SafeHtml } from '../../components/content/SafeHtml.tsx';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { ToolButton } from '../../components/display/ToolButton.tsx';
import type { Format } from './calls.ts';
import { formatChoices } from './columns.tsx';
import type { MessageText } from './form.ts';
import classes from './Messages.module.css';
import { MARKUPS, type Markup, marked } from './markup.ts';

interface MessageEditorProps<V extends MessageText> {
  readonly form: UseFormReturnType<V>;
}

/** Title, format and text, with a preview as the recipients will see it. */
export function MessageEditor<V extends MessageText>({ form }: MessageEditorProps<V>) {
  const { t } = useTranslation();
  const formatId = useId();
  const { title, content, format } = form.getValues();
  // Every form that uses the editor has the text fields.
  const set = (patch: Partial<MessageText>) => form.setValues(patch as Partial<V>);
  return (
    <Stack gap="md">
      <TextInput
        label={t('message.name')}
        required
        data-autofocus
        autoComplete="off"
        value={title}
        error={form.errors.title}
        onChange={(event) => set({ title: event.currentTarget.value })}
      />
      <Input.Wrapper label={t('message.format')} labelElement="div" labelProps={{ id: formatId }}>
        <div>
          <SegmentedControl
            size="xs"
            aria-labelledby={formatId}
            data={formatChoices()}
            value={format}
            onChange={(format) => set({ format })}
          />
        </div>
      </Input.Wrapper>
      <TextArea
        content={content}
        format={format}
        error={form.errors.content}
        onChange={(content) => set({ content })}
      />
      <Preview content={content} format={format} />
    </Stack>
  );
}

interface TextAreaProps {
  readonly content: string;
  readonly format: Format;
  readonly error: ReactNode;
  readonly onChange: (content: string) => void;
}

function TextArea({ content, format, error, onChange }: TextAreaProps) {
  const { t } = useTranslation();
  const area = useRef<HTMLTextAreaElement>(null);
  const put = (mark: Markup) => {
    const element = area.current;
    if (element === null) return;
    const { selectionStart, selectionEnd } = element;
    const next = marked({ text: content, start: selectionStart, end: selectionEnd }, format, mark);
    onChange(next.text);
    // After the field has re-rendered with the new text.
    requestAnimationFrame(() => {
      element.focus();
      element.setSelectionRange(next.start, next.end);
    });
  };
  return (
    <Stack gap={4}>
      <Textarea
        autosize={false}
        ref={area}
        label={t('message.content')}
        required
        value={content}
        error={error}
        onChange={(event) => onChange(event.currentTarget.value)}
        rows={10}
        resize="vertical"
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        inputWrapperOrder={['label', 'description', 'input', 'error']}
        description={<Toolbar onMark={put} />}
        descriptionProps={{ component: 'div' }}
      />
    </Stack>
  );
}

const ICONS: Record<Markup, Icon> = {
  bold: IconBold,
  italic: IconItalic,
  heading: IconHeading,
  list: IconList,
  link: IconLink,
  code: IconCode,
};

function Toolbar({ onMark }: { readonly onMark: (mark: Markup) => void }) {
  const { t } = useTranslation();
  return (
    <Group gap={2} role="toolbar" aria-label={t('message.toolbar')}>
      {MARKUPS.map((mark) => (
        <ToolButton
          key={mark}
          size={28}
          label={t(`message.mark.${mark}`)}
          icon={ICONS[mark]}
          // Keeps the selection.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onMark(mark)}
        />
      ))}
    </Group>
  );
}

const CALM_MS = 150;

function Preview({ content, format }: { readonly content: string; readonly format: Format }) {
  const { t } = useTranslation();
  const [shown] = useDebouncedValue(content, CALM_MS);
  const text = shown.trim();
  return (
    <section aria-label={t('message.preview')}>
      <Text fw={500} mb={4}>
        {t('message.preview')}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long preview must scroll by keyboard */}
      <div className={classes.preview} tabIndex={0}>
        {text === '' && <Dimmed size="sm">{t('message.previewEmpty')}</Dimmed>}
        {text !== '' &&
          (format === 'html' ? <SafeHtml html={text} /> : <MarkdownView text={text} />)}
      </div>
    </section>
  );
}
