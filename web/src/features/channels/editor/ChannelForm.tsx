import { Code, Group, Select, Text, Title } from '@mantine/core';
import { Fragment, type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { columnsOfSection } from '../../../../../src/domain/nouns/channel.ts';
import { Budgets } from '../../../components/budgets/Budgets.tsx';
import { Facts } from '../../../components/display/Facts.tsx';
import { Notice } from '../../../components/display/Notice.tsx';
import { ModelTag } from '../../../components/display/tag-lists.tsx';
import { Sections } from '../../../components/layout/Sections.tsx';
import { listText } from '../../../lib/text/lists.ts';
import type { Channel } from '../calls.ts';
import { modelsOf } from '../list/channel-cells.tsx';
import { useTestResults } from '../tests/test-results.ts';
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

/** The whole form of a channel. */
export function ChannelForm(props: FieldsProps) {
  const { t } = useTranslation();
  const { errors } = props.form;
  return (
    <>
      {props.channel && <LastTest channel={props.channel} />}
      <Sections
        isCompact
        label={t('channel.editor.sections')}
        links={SECTIONS.map(({ name }) => ({
          name,
          title: t(`channel.section.${name}`),
          isWrong: hasError(name, errors),
        }))}
      >
        {SECTIONS.map(({ name, Fields }) => (
          <Section key={name} name={name}>
            <Fields {...props} />
          </Section>
        ))}
      </Sections>
    </>
  );
}

interface SectionProps {
  readonly name: SectionName;
  readonly children: ReactNode;
}

function Section({ name, children }: SectionProps) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <section data-section={name} className={classes.section} aria-labelledby={id}>
      <Title order={2} id={id}>
        {t(`channel.section.${name}`)}
      </Title>
      {children}
    </section>
  );
}

/** The last test of this visit, unless it succeeded. */
function LastTest({ channel }: { readonly channel: Channel }) {
  const { t } = useTranslation();
  const model = channel.test_model || modelsOf(channel)[0] || '';
  const test = useTestResults(channel.id).byModel.get(model);
  if (test?.state !== 'done' || test.probe.success) return null;
  return (
    <Notice tone="red" title={t('channel.test.lastFailed', { model })}>
      {test.probe.message || `HTTP ${test.probe.status_code}`}
    </Notice>
  );
}

/** A channel has budgets once it exists. */
function ChannelBudgets({ channel }: FieldsProps) {
  const { t } = useTranslation();
  if (channel === undefined)
    return (
      <Text size="md" c="dimmed">
        {t('channel.budgetsLater')}
      </Text>
    );
  return <Budgets subject="channel" subjectId={String(channel.id)} hasTitle={false} />;
}

/** A preview of how the gateway would handle a call with the unsaved form. */
function RequestSummary({ form }: FieldsProps) {
  const { t } = useTranslation();
  const [wanted, setWanted] = useState<string | null>(null);
  const { values } = form;
  const usual = useChannelTypes().get(values.type)?.base_url ?? '';
  const model = wanted !== null && values.models.includes(wanted) ? wanted : values.models[0];
  if (model === undefined)
    return (
      <Text size="md" c="dimmed">
        {t('channel.summary.none')}
      </Text>
    );
  const { requested, sent, overrides, hasSystemPrompt } = requestPreview(values, model);
  return (
    <>
      <Select
        label={t('channel.summary.model')}
        searchable
        data={[...values.models]}
        limit={50}
        value={model}
        onChange={setWanted}
      />
      <Facts
        facts={[
          [
            t('channel.summary.request'),
            <Fragment key="request">
              <ModelTag model={requested} upstream={sent} />
              {sent === undefined && (
                <Text c="var(--tone-red-text)">{t('channel.summary.circle')}</Text>
              )}
            </Fragment>,
          ],
          [t('common.groups'), listText(values.group)],
          [
            t('channel.summary.goes'),
            <Code key="address">{tidyUrl(values.base_url) || usual || '-'}</Code>,
          ],
          [
            t('channel.summary.overrides'),
            overrides.length > 0 && (
              <Group gap={4}>
                {overrides.map((one) => (
                  <Code key={one}>{one}</Code>
                ))}
              </Group>
            ),
          ],
          [t('channel.field.system_prompt'), hasSystemPrompt && t('channel.summary.prompt')],
        ]}
      />
    </>
  );
}
