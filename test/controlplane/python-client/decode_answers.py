"""Speaks to an API server with the official Kubernetes client, whose models are strict, and reports what they do not decode.

Reads {"server", "ca", "token", "resources", "objects"} from standard input: `ca` is a file, `resources` are those of discovery. With
`create` it creates every object; with `read` it lists every resource, reads its objects, and patches and deletes them as a dry run.
Prints {"decoded": [kind], "faults": [{"answer", "fault"}]} on standard output: each kind and each fault once.
"""

import json
import sys

from kubernetes import client


# A server may refuse these of an object of its own, such as a system namespace.
REFUSABLE = ("PATCH", "DELETE")


class Body:
    """What the client decodes: a response whose body has been read."""

    def __init__(self, data):
        self.data = data


class Answers:
    def __init__(self, given):
        configuration = client.Configuration()
        configuration.host = given["server"]
        configuration.ssl_ca_cert = given["ca"]
        configuration.api_key = {"authorization": "Bearer " + given["token"]}
        configuration.client_side_validation = True
        self.api = client.ApiClient(configuration)
        self.resources = given["resources"]
        self.decoded = set()
        self.faults = set()

    def ask(self, method, path, body=None, query=(), content_type="application/json"):
        """The answer as JSON, and whether its model decodes it."""
        try:
            answer = self.api.call_api(
                path,
                method,
                query_params=list(query),
                header_params={"Accept": "application/json", "Content-Type": content_type},
                body=body,
                auth_settings=["BearerToken"],
                _preload_content=False,
                _return_http_data_only=True,
            ).data
        except client.ApiException as refusal:
            answer = refusal.body
            if method not in REFUSABLE:
                self.faults.add((method + " " + path, answer))
        decoded = json.loads(answer)
        name = decoded["apiVersion"] + " " + decoded["kind"]
        try:
            self.api.deserialize(Body(answer), model_of(decoded["apiVersion"], decoded["kind"]))
        except Exception as fault:  # Whatever a model throws is what this looks for.
            self.faults.add((name, str(fault)))
            return decoded, False
        self.decoded.add(name)
        return decoded, True

    def create(self, objects):
        for made in objects:
            self.ask("POST", collection(self.resource_of(made), made.get("metadata", {}).get("namespace")), made)

    def read(self):
        for resource in self.resources:
            if "list" not in resource["verbs"]:
                continue
            answer, _ = self.ask("GET", collection(resource))
            if not answer["items"]:
                self.faults.add(("GET " + collection(resource), "there is no object"))
            for item in answer["items"]:
                self.visit(resource, item["metadata"])

    def visit(self, resource, metadata):
        path = collection(resource, metadata.get("namespace")) + "/" + metadata["name"]
        _, is_decoded = self.ask("GET", path)
        if not is_decoded:
            return
        for subresource in ("status", "scale"):
            if subresource in resource["subresources"]:
                self.ask("GET", path + "/" + subresource)
        if "token" in resource["subresources"]:
            self.ask("POST", path + "/token", {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
        dry_run = [("dryRun", "All")]
        self.ask("PATCH", path, {"metadata": {"annotations": {"python": "1"}}}, dry_run, "application/merge-patch+json")
        self.ask("DELETE", path, query=dry_run)

    def resource_of(self, made):
        group, _, version = made["apiVersion"].rpartition("/")
        for resource in self.resources:
            if (resource["group"], resource["version"], resource["kind"]) == (group, version, made["kind"]):
                return resource
        raise LookupError("%s %s is not served" % (made["apiVersion"], made["kind"]))


def collection(resource, namespace=None):
    group, version = resource["group"], resource["version"]
    root = "/apis/" + group + "/" + version if group else "/api/" + version
    return root + ("/namespaces/" + namespace if namespace else "") + "/" + resource["plural"]


def model_of(api_version, kind):
    """`V1Pod`; `CoreV1Event` where kinds of two groups have one name."""
    group, _, version = api_version.rpartition("/")
    short = version.capitalize() + kind
    qualified = (group.split(".")[0] or "core").capitalize() + short
    name = qualified if hasattr(client, qualified) else short
    if not hasattr(client, name):
        raise LookupError("the client has no model of %s %s" % (api_version, kind))
    return name


given = json.load(sys.stdin)
answers = Answers(given)
if sys.argv[1] == "create":
    answers.create(given["objects"])
else:
    answers.read()
faults = [{"answer": answer, "fault": fault} for answer, fault in sorted(answers.faults)]
json.dump({"decoded": sorted(answers.decoded), "faults": faults}, sys.stdout)
