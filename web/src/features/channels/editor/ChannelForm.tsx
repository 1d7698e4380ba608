import { Code, Group, Select, Text, Title, UnstyledButton } from '@mantine/core';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { columnsOfSection } from '../../../../../src/domain/nouns/channel.ts';
import { Budgets } from '../../../components/budgets/Budgets.tsx';
import { ModelTag } from '../../../components/display/tag-lists.tsx';
import { listText } from '../../../lib/text/lists.ts';
import classes from './ChannelEditor.module.css';
import { tidyUrl } from './channel-form.ts';
import { BasicsFields } from './fields/BasicsFields.tsx';
import { ConnectionFields } from './fields/ConnectionFields.tsx';
import { CostFields } from './fields/CostFields.tsx';
import type { FieldsProps } from './fields/fields-props.ts';
import { ModelsFields } from './fields/ModelsFields.tsx';
import { RoutingFields } from './fields/RoutingFields.tsx';
import { TransformFields } from './fields/TransformFields.tsx';
import { requestPreview } from './request-preview.ts';
import { useChannelTypes } from './useChannelTypes.ts';

const SECTIONS = [
  { name: 'basics', Fields: BasicsFields },
  { name: 'connection', Fields: ConnectionFields },
  { name: 'models', Fields: ModelsFields },
  { name: 'routing', Fields: RoutingFields },
  { name: 'transform', Fields: TransformFields },
  { name: 'cost', Fields: CostFields },
  { name: 'budgets', Fields: ChannelBudgets },
  { name: 'summary', Fields: RequestSummary },
] as const;

/** Marks the sections with errors in the navigation. */
function hasError(section: SectionName, errors: FieldsProps['form']['errors']): boolean {
  if (section === 'budgets' || section === 'summary') return false;
  const isKey = section === 'connection' && 'key' in errors;
  return isKey || columnsOfSection(section).some((column) => column in errors);
}

type SectionName = (typeof SECTIONS)[number]['name'];

/** The whole form of a channel, for the drawer and the pages. */
export function ChannelForm(props: FieldsProps) {
  const { t } = useTranslation();
  const id = useId();
  const { errors } = props.form;
  const { current, sections } = useCurrentSection();
  return (
    <div className={classes.editor}>
      <nav className={classes.rail} aria-label={t('channel.editor.sections')}>
        {SECTIONS.map(({ name }) => (
          <UnstyledButton
            key={name}
            className={classes.railLink}
            aria-current={current === name ? 'location' : undefined}
            data-invalid={hasError(name, errors) || undefined}
            onClick={() =>
              document.getElementById(`${id}-${name}`)?.scrollIntoView({ behavior: 'smooth' })
            }
          >
            {t(`channel.section.${name}`)}
          </UnstyledButton>
        ))}
      </nav>
      <div className={classes.sections} ref={sections}>
        {SECTIONS.map(({ name, Fields }) => (
          <Section key={name} id={`${id}-${name}`} name={name}>
            <Fields {...props} />
          </Section>
        ))}
      </div>
    </div>
  );
}

interface SectionProps {
  readonly id: string;
  readonly name: SectionName;
  readonly children: ReactNode;
}

function Section({ id, name, children }: SectionProps) {
  const { t } = useTranslation();
  return (
    <section
      id={id}
      data-section={name}
      className={classes.section}
      aria-labelledby={`${id}-title`}
    >
      <Title order={2} id={`${id}-title`}>
        {t(`channel.section.${name}`)}
      </Title>
      {children}
    </section>
  );
}

/** The upper part of the window below the top bar; a section inside it is the current one. */
const LOOKS_AT: IntersectionObserverInit = { rootMargin: '-90px 0px -55% 0px' };

/** The first visible section. */
function useCurrentSection() {
  const sections = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState<string>(SECTIONS[0].name);
  useEffect(() => {
    const seen = new Map<string, boolean>();
    const observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        seen.set(target.getAttribute('data-section') ?? '', isIntersecting);
      }
      const first = SECTIONS.find(({ name }) => seen.get(name));
      if (first) setCurrent(first.name);
    }, LOOKS_AT);
    for (const section of sections.current?.children ?? []) observer.observe(section);
    return () => observer.disconnect();
  }, []);
  return { current, sections };
}

/** A channel has budgets once it exists. */
function ChannelBudgets({ channel }: FieldsProps) {
  const { t } = useTranslation();
  if (channel === undefined) return <Text c="dimmed">{t('channel.budgetsLater')}</Text>;
  return <Budgets subject="channel" subjectId={String(channel.id)} hasTitle={false} />;
}

/** A preview of how the gateway would handle a call with the unsaved form. */
function RequestSummary({ form }: FieldsProps) {
  const { t } = useTranslation();
  const [wanted, setWanted] = useState<string | null>(null);
  const { values } = form;
  const usual = useChannelTypes().get(values.type)?.base_url ?? '';
  const model = wanted !== null && values.models.includes(wanted) ? wanted : values.models[0];
  if (model === undefined) return <Text c="dimmed">{t('channel.summary.none')}</Text>;
  const { requested, sent, overrides, hasSystemPrompt } = requestPreview(values, model);
  return (
    <>
      <Select
        label={t('channel.summary.model')}
        searchable
        allowDeselect={false}
        data={[...values.models]}
        limit={50}
        value={model}
        onChange={setWanted}
      />
      <dl className={classes.preview}>
        <dt>{t('channel.summary.request')}</dt>
        <dd>
          <ModelTag model={requested} upstream={sent} />
          {sent === undefined && (
            <Text size="sm" c="var(--tone-red-text)">
              {t('channel.summary.circle')}
            </Text>
          )}
        </dd>
        <dt>{t('common.groups')}</dt>
        <dd>{listText(values.group)}</dd>
        <dt>{t('channel.summary.goes')}</dt>
        <dd>
          <Code>{tidyUrl(values.base_url) || usual || '-'}</Code>
        </dd>
        {overrides.length > 0 && (
          <>
            <dt>{t('channel.summary.overrides')}</dt>
            <dd>
              <Group gap={4}>
                {overrides.map((one) => (
                  <Code key={one}>{one}</Code>
                ))}
              </Group>
            </dd>
          </>
        )}
        {hasSystemPrompt && (
          <>
            <dt>{t('channel.field.system_prompt')}</dt>
            <dd>{t('channel.summary.prompt')}</dd>
          </>
        )}
      </dl>
    </>
  );
}
