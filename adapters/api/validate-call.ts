// Requests are held to the OpenAPI document, by validators that are compiled from it once.
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { OPENAPI_DOCUMENT, type Operation, type Parameter } from './openapi.ts';
import { ProblemError, type RequestFault } from './problem.ts';

const DOCUMENT = 'openapi';

/** What holds a request to its operation. Each throws a ProblemError with every fault, or gives the valid value back. */
export interface CallValidator {
  readonly path: (values: unknown) => Readonly<Record<string, string>>;
  /** Numbers become numbers, defaults are filled in. */
  readonly query: (values: unknown) => unknown;
  readonly headers: (values: unknown) => void;
  /** By media type. */
  readonly body: (mediaType: string, value: unknown) => unknown;
}

/**
 * Makes what compiles the validators of operations. An operation is compiled with its first call: all at once took 0.7 s of
 * each start.
 */
export function createValidatorCompiler(): (operation: Operation) => CallValidator {
  // Both hold all schemas of the document: made once, not once an operation.
  let both: ReturnType<typeof compilers> | undefined;
  return (operation) => {
    let compiled: CallValidator | undefined;
    const validator = () => {
      both ??= compilers();
      compiled ??= compile(both, operation);
      return compiled;
    };
    return {
      path: (values) => validator().path(values),
      query: (values) => validator().query(values),
      headers: (values) => validator().headers(values),
      body: (mediaType, value) => validator().body(mediaType, value),
    };
  };
}

function compile({ strict, lenient }: ReturnType<typeof compilers>, operation: Operation): CallValidator {
  const parametersIn = (place: Parameter['in']) => (operation.parameters ?? []).filter((each) => each.in === place);
  const [path, query] = [parametersIn('path'), parametersIn('query')].map((each) =>
    lenient.compile(objectOf(each, false)),
  );
  const headers = strict.compile(objectOf(parametersIn('header'), true));
  const bodies = Object.entries(operation.requestBody?.content ?? {}).map(
    ([mediaType, { schema }]) => [mediaType, strict.compile(absolute(schema))] as const,
  );
  return {
    path: (values) => check(path, { ...(values as object) }, 'the path') as Record<string, string>,
    query: (values) => check(query, { ...(values as object) }, 'the query'),
    headers: (values) => void check(headers, values, 'a header'),
    body: (mediaType, value) => check(bodies.find(([name]) => name === mediaType)?.[1], value, 'the body'),
  };
}

// Only what is text on the wire is turned into numbers; a body that says "1" for 1 is wrong.
// That the document is a valid one is a matter for its tests: to hold it to the schema of schemas with the first call took
// 0.2 s, and 1.2 s beside 50 askers, in which nothing else moved.
function compilers(): { readonly strict: Ajv2020; readonly lenient: Ajv2020 } {
  const [strict, lenient] = [false, true].map((coerceTypes) => {
    const ajv = new Ajv2020({
      allErrors: true,
      coerceTypes,
      useDefaults: true,
      strictTypes: false,
      validateSchema: false,
    });
    ajv.addKeyword('components');
    addFormats.default(ajv);
    ajv.addSchema({ $id: DOCUMENT, components: OPENAPI_DOCUMENT.components });
    return ajv;
  });
  return { strict: strict as Ajv2020, lenient: lenient as Ajv2020 };
}

function objectOf(parameters: readonly Parameter[], additionalProperties: boolean): object {
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties,
  };
}

function absolute(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', `"${DOCUMENT}#/`));
}

function check(validate: ValidateFunction | undefined, value: unknown, where: string): unknown {
  if (!validate || validate(value)) return value;
  const faults = (validate.errors ?? []).slice(0, MAX_FAULTS).map(faultOf);
  throw new ProblemError('invalid_request', `${where} is not as the API describes it, see "errors" and /openapi.json`, {
    faults,
  });
}

const MAX_FAULTS = 20;

// Never the value itself: it may be a password, or markup for whoever shows the message.
function faultOf({ instancePath, keyword, message = 'is not valid', params }: ErrorObject): RequestFault {
  if (keyword === 'additionalProperties') return { at: instancePath, message: 'has a field that is not known' };
  if (keyword === 'pattern') return { at: instancePath, message: 'has characters that are not allowed here' };
  if (keyword === 'enum') {
    return {
      at: instancePath,
      message: `must be one of ${(params as { allowedValues: unknown[] }).allowedValues.join(', ')}`,
    };
  }
  return { at: instancePath, message };
}
