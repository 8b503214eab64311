"""Names that Pyomo models keep for themselves, so no declaration or family may use them."""

_WORDS = """
Skip activate active active_blocks active_component_data active_components add_component
all_blocks all_component_data all_components block_data_objects clear clear_suffix_value clone
cname collect_ctypes component component_data_iterindex component_data_objects component_map
component_objects compute_statistics config construct contains_component create_instance ctype
deactivate del_component dim display doc find_component fix_all_vars get_suffix_value getname
id_index_map index index_set is_component_type is_constructed is_expression_type is_indexed
is_logical_type is_named_expression_type is_numeric_type is_parameter_type is_reference
is_variable_type items iteritems iterkeys itervalues keys load local_name model name
nconstraints nobjectives nvariables parent_block parent_component pprint preprocess private_data
reclassify_component_type reconstruct register_private_data_initializer root_block
set_suffix_value set_value solutions statistics to_dense_data transfer_attributes_from type
unfix_all_vars valid_model_component valid_problem_types values write
"""

RESERVED = frozenset(_WORDS.split())
